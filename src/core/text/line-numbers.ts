/** Gives the line of a place in a text, from 1; the text is read once, however many places are asked for. */
export function lineNumbers(text: string): (at: number) => number {
  const starts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1)
  return (at) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return low + 1
  }
}
