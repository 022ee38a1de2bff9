/** An immutable set that is cheap to extend: 256 buckets, of which one is copied. */
import { fingerprint } from '../text/hash.ts'

/** Hashes of contents: in buckets, so that adding one copies little. */
export type SeenContent = { size: number; buckets: readonly (readonly string[])[] }

const bucketCount = 256

export const nothingSeen: SeenContent = { size: 0, buckets: Array.from({ length: bucketCount }, () => []) }

export const hasSeen = (seen: SeenContent, key: string): boolean => seen.buckets[bucketOf(key)]?.includes(key) === true

export function withSeen(seen: SeenContent, keys: string[]): SeenContent {
  let result = seen
  for (const key of keys) {
    if (hasSeen(result, key)) continue
    const buckets = result.buckets.slice()
    const bucket = bucketOf(key)
    buckets[bucket] = [...(buckets[bucket] ?? []), key]
    result = { size: result.size + 1, buckets }
  }
  return result
}

const bucketOf = (key: string): number => fingerprint(key) % bucketCount
