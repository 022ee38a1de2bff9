/** What a channel needs from the environment: addresses and keys that no settings file should hold. */
import type { ChannelOptions } from './notify.ts'

/** The value of the variable that a setting names; null: it is not set, which is said once. `whose`: as in "no notices go to Slack". */
export function secretIn(
  { env, warn }: Pick<ChannelOptions, 'env' | 'warn'>,
  setting: string,
  variable: string,
  whose: string,
): string | null {
  const value = env[variable] ?? ''
  if (value !== '') return value
  warn(`! ${setting} names ${variable}, which is not set: no notices go to ${whose}`)
  return null
}

/** The same for an address; what is none would fail with each notice. */
export function addressIn(
  options: Pick<ChannelOptions, 'env' | 'warn'>,
  setting: string,
  variable: string,
  whose: string,
): string | null {
  const value = secretIn(options, setting, variable, whose)
  if (value === null || (/^https?:\/\/./i.test(value) && URL.canParse(value))) return value
  options.warn(`! ${variable}, which ${setting} names, is not an http(s) address: no notices go to ${whose}`)
  return null
}
