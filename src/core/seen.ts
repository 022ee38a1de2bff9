/** A set that is cheap to extend without changing the old one: 256 buckets, of which one is copied. */
import type { Seen } from './types.ts'

const bucketCount = 256

export const nothingSeen: Seen = { size: 0, buckets: Array.from({ length: bucketCount }, () => []) }

export const hasSeen = (seen: Seen, key: string): boolean => seen.buckets[bucketOf(key)]!.includes(key)

export function withSeen(seen: Seen, keys: string[]): Seen {
  let result = seen
  for (const key of keys) {
    if (hasSeen(result, key)) continue
    const buckets = result.buckets.slice()
    const bucket = bucketOf(key)
    buckets[bucket] = [...buckets[bucket]!, key]
    result = { size: result.size + 1, buckets }
  }
  return result
}

function bucketOf(key: string): number {
  let hash = 0
  for (let i = 0; i < key.length; i++) hash = (hash * 31 + key.charCodeAt(i)) | 0
  return (hash >>> 0) % bucketCount
}
