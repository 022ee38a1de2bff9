/** Passes bytes through without the lines that start in a given way: for agents that repeat everything with every new piece. */

const lineFeed = 10

/** A chunk may be reused after `push` returns. Holds back at most the beginning of one line. */
export function withoutLines(beginnings: string[], write: (bytes: Buffer) => void): { push(chunk: Buffer): void; end(): void } {
  const wanted = beginnings.map((text) => Buffer.from(text))
  const longest = Math.max(...wanted.map((bytes) => bytes.length))
  let state: 'deciding' | 'keeping' | 'dropping' = 'deciding'
  let held = Buffer.alloc(0)

  const decide = (): void => {
    state = wanted.some((bytes) => held.subarray(0, bytes.length).equals(bytes)) ? 'dropping' : 'keeping'
    if (state === 'keeping') write(held)
    held = Buffer.alloc(0)
  }

  return {
    push(chunk) {
      for (let from = 0; from < chunk.length; ) {
        const feed = chunk.indexOf(lineFeed, from)
        const lineEnd = feed === -1 ? chunk.length : feed + 1
        if (state === 'deciding') {
          const until = Math.min(lineEnd, from + longest - held.length)
          held = Buffer.concat([held, chunk.subarray(from, until)])
          from = until
          const isWholeLine = from === lineEnd && feed !== -1
          if (held.length < longest && !isWholeLine) return // not enough of the line yet
          decide()
          if (isWholeLine) state = 'deciding'
          continue
        }
        if (state === 'keeping') write(chunk.subarray(from, lineEnd))
        from = lineEnd
        if (feed !== -1) state = 'deciding'
      }
    },
    end() {
      if (held.length > 0) decide()
    },
  }
}
