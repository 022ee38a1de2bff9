/** A notice as an e-mail, through the user's own mail server. */
import type { Channel, ChannelOptions } from './notify.ts'
import { secretIn } from './secret.ts'
import type { MailServer } from './smtp.ts'

type EmailSettings = {
  'notify.email.to': string
  'notify.email.from': string
  'notify.email.host': string
  'notify.email.port': number
  'notify.email.user': string
  'notify.email.password_env': string
}

type EmailOptions = Pick<ChannelOptions, 'env' | 'warn'> & Pick<MailServer, 'ca' | 'timeoutMs'>

export function email(settings: EmailSettings, { env, warn, ...more }: EmailOptions): Channel | null {
  const { 'notify.email.to': to, 'notify.email.host': host, 'notify.email.port': port, 'notify.email.user': user } = settings
  if (to === '' && host === '') return null
  const from = settings['notify.email.from'] || to
  const missing = [
    ...(host === '' ? ['notify.email.host'] : []),
    ...[to, from].flatMap((one, at) => (isAddress(one) ? [] : [names[at]])),
  ]
  if (missing.length > 0) {
    warn(`! No notices go out by e-mail: ${missing.join(' and ')} must be set`)
    return null
  }
  const variable = settings['notify.email.password_env']
  const password = variable === '' ? '' : secretIn({ env, warn }, 'notify.email.password_env', variable, to)
  if (password === null) return null
  const server: MailServer = { host, port, user: user || from, password, ...more }
  return {
    name: 'email',
    async send({ title, text, next, at }, stop) {
      const { mailOf, sendMail } = await import('./smtp.ts') // only where a mail is sent
      const mail = mailOf({ from, to, subject: title, text: next === undefined ? text : `${text}\n\nNext: ${next}`, at })
      const problem = await sendMail(server, { from, to, mail }, stop)
      return problem === null
        ? null
        : `The mail server ${host}:${port} did not accept the notice "${title}": ${problem}. Check the settings notify.email.*`
    },
  }
}

const names = ['notify.email.to', 'notify.email.from']

/** One address, and nothing that could end a line of the conversation. */
const isAddress = (text: string): boolean => /^[^\s<>@",;:]+@[^\s<>@",;:]+$/.test(text)
