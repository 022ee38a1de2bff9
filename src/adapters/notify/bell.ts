/** A notice as the terminal's bell. */
import type { Channel, ChannelOptions } from './notify.ts'

export function bell(settings: { 'notify.bell': boolean }, { ring }: Pick<ChannelOptions, 'ring'>): Channel | null {
  if (!settings['notify.bell'] || ring === null) return null
  return {
    name: 'bell',
    isHere: true,
    async send() {
      ring('\u0007')
      return null
    },
  }
}
