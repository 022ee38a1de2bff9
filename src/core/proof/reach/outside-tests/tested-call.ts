/** Calls that tests make with values that they write out. */

/** `args` and `expected`: as the language writes them, literals alone. */
export type TestedCall = {
  name: string
  args: string
  expected: string
  /** It gives no value: it fails. */
  isError?: true
}
/** What a name in a test file stands for; `member`: what of the module, if not all of it. */
export type Imported = { module: string; member?: string }
/** A test that does nothing but such calls, or what a story says of a function. `calls`: in its order. */
export type TestedBlock = {
  test: string
  file: string
  line: number
  imports: Record<string, Imported>
  calls: TestedCall[]
  isOfStory?: true
}
