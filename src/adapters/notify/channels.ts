/** Every channel of notices: each is null if its settings do not enable it. */
import { bell } from './bell.ts'
import { command, desktop } from './program.ts'
import { webhook } from './webhook.ts'

export const channels = [desktop, bell, webhook, command]
