/** Every channel of notices: each is null if its settings do not enable it. */
import { bell } from './bell.ts'
import { discord } from './discord.ts'
import { email } from './email.ts'
import { ntfy } from './ntfy.ts'
import { command, desktop } from './program.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

export const channels = [desktop, bell, webhook, slack, discord, telegram, ntfy, email, command]
