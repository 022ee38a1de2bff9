/** Whether two lists of files, folders and patterns could mean the same file. */

export const overlap = (some: string[], others: string[]): boolean =>
  some.some((one) => others.some((other) => mayMeet(one, other)))

/** The part before the first wildcard decides: better one story that waits than two that conflict. */
function mayMeet(one: string, other: string): boolean {
  const [a, b] = [fixedPart(one), fixedPart(other)]
  return startsWith(a, b) || startsWith(b, a)
}

type Fixed = { text: string; isOpen: boolean }

function fixedPart(path: string): Fixed {
  const plain = path.replace(/^\.?\/+|^\.$/, '').replace(/\/+$/, '')
  const at = plain.search(/[*?[{]/)
  return at === -1 ? { text: plain, isOpen: false } : { text: plain.slice(0, at), isOpen: true }
}

const startsWith = (longer: Fixed, shorter: Fixed): boolean =>
  shorter.isOpen
    ? longer.text.startsWith(shorter.text)
    : shorter.text === '' || longer.text === shorter.text || longer.text.startsWith(`${shorter.text}/`)
