/** Splits bytes into lines, however the bytes were chunked and however long a line is. */

export type LineSplitter = { push(chunk: Buffer): void; end(): void }

/** A longer line is passed on once, cut, and the rest is dropped: agents have printed hundreds of megabytes in one line. */
const longestLine = 4 * 1024 * 1024
const lineFeed = 10
const carriageReturn = 13

/** Lines come without their end (LF or CRLF). A chunk may be reused after `push` returns. */
export function lineSplitter(onLine: (line: string, isCut: boolean) => void, maxBytes = longestLine): LineSplitter {
  let held: Buffer[] = []
  let heldBytes = 0
  let isDropping = false

  const hold = (piece: Buffer) => {
    if (isDropping || piece.length === 0) return
    held.push(Buffer.from(piece.subarray(0, maxBytes - heldBytes)))
    heldBytes += piece.length
    if (heldBytes <= maxBytes) return
    give(true)
    isDropping = true
  }
  const give = (isCut: boolean) => {
    const line = Buffer.concat(held)
    held = []
    heldBytes = 0
    onLine(isCut ? line.toString('utf8') : textOf(line, 0, line.length), isCut)
  }

  return {
    push(chunk) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        const isWhole = heldBytes === 0 && !isDropping && at - from <= maxBytes
        if (isWhole) onLine(textOf(chunk, from, at), false)
        else {
          hold(chunk.subarray(from, at))
          if (!isDropping) give(false)
          isDropping = false
        }
        from = at + 1
      }
      hold(chunk.subarray(from))
    },
    end() {
      if (heldBytes > 0) give(false)
      isDropping = false
    },
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end > start && bytes[end - 1] === carriageReturn ? end - 1 : end)
}
