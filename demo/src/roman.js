/** Roman numerals. */
export function toRoman(_number) {
  throw new Error('not there yet')
}
