/** Fake credentials of every masked format, assembled here so that no scanner takes them for leaked ones; and ordinary text. */
import { createHash } from 'node:crypto'

export type SecretSample = {
  what: string /** As printed. */
  text: string /** What must be masked. */
  secret: string
}

/** Meaningless letters and digits, always the same for the same name, with a digit near the beginning. */
function chance(name: string, length: number, form: 'base64' | 'base64url' | 'hex' | 'alnum' = 'alnum'): string {
  let text = ''
  for (let n = 0; text.length < length; n++) {
    const digest = createHash('sha512').update(`${name} ${n}`)
    const piece = digest.digest(form === 'alnum' ? 'base64' : form)
    text += form === 'alnum' ? piece.replace(/[^A-Za-z0-9]/g, '') : piece.replace(/=+$/, '')
  }
  return `a7${text}`.slice(0, length)
}

const of = (what: string, prefix: string, secret: string, suffix = ''): SecretSample => ({
  what,
  text: `${prefix}${secret}${suffix}`,
  secret,
})
const wrapped = (text: string): string[] => text.match(/.{1,64}/g)!
const keyLines = wrapped(chance('pem', 1600, 'base64'))
const keyMark = (edge: string, kind: string) => `-----${edge} ${kind}PRIVATE KEY-----`
const pem = (kind: string, lineEnd: string) => [keyMark('BEGIN', kind), ...keyLines, keyMark('END', kind), ''].join(lineEnd)
const jwtPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jwt = `${jwtPart({ sub: '1234', scope: 'all' })}.${chance('jwt', 43, 'base64url')}`

export const samples: SecretSample[] = [
  of('Anthropic', 'sk-', `ant-api03-${chance('anthropic', 93, 'base64url')}-AA`),
  of('Anthropic, a login', 'sk-', `ant-oat01-${chance('oat', 86, 'base64url')}`),
  of('OpenAI', 'sk-', chance('openai', 48)),
  of('OpenAI, of a project', 'sk-', `proj-${chance('project', 120, 'base64url')}`),
  of('OpenRouter', 'sk-', `or-v1-${chance('router', 64, 'hex')}`),
  of('Google', 'AIza', `Sy${chance('google', 33)}`),
  of('Google, a login', 'ya29.', chance('ya29', 120, 'base64url')),
  of('AWS, the id', 'AKIA', 'Q7XW2NPL5RST3UVZ'),
  of('AWS, the secret', 'aws_secret_access_key = ', chance('aws', 40, 'base64')),
  of('AWS, in variables', 'AWS_SECRET_ACCESS_KEY=', chance('aws', 40, 'base64')),
  of('GitHub, classic', 'ghp_', chance('ghp', 36)),
  of('GitHub, fine-grained', 'github_pat_', `${chance('pat', 22)}_${chance('pat2', 59)}`),
  of('GitHub, of an app', 'gho_', chance('gho', 36)),
  of('GitLab', 'glpat-', chance('gitlab', 20, 'base64url')),
  of('Slack, a bot', 'xoxb-', `123456789012-1234567890123-${chance('slack', 24)}`),
  of('Slack, an app', 'xapp-', `1-A012345-1234567890-${chance('xapp', 64, 'hex')}`),
  of('Slack, a hook', 'https://hooks.slack.com/services/', `T01234567/B01234567/${chance('hook', 24)}`),
  of('Stripe', 'sk_live_', chance('stripe', 24)),
  of('Stripe, restricted', 'rk_live_', chance('restricted', 24)),
  of('npm', 'npm_', chance('npm', 36)),
  of('PyPI', 'pypi-', `AgEIcHlwaS5vcmc${chance('pypi', 160, 'base64url')}`),
  of('Hugging Face', 'hf_', chance('hf', 34)),
  of('xAI', 'xai-', chance('xai', 80)),
  of('Azure, storage', 'DefaultEndpointsProtocol=https;AccountKey=', `${chance('azure', 86, 'base64')}==`, ';EndpointSuffix=x'),
  of('Azure, an app', 'abc8Q~', chance('app', 34)),
  of('Azure, a shared address', 'https://x.blob.core.windows.net/c?sv=2022-11-02&sig=', `${chance('sas', 43)}%3D`),
  of('JWT', `${jwtPart({ alg: 'HS256', typ: 'JWT' })}.`, jwt),
  of('a private key', '', pem('RSA ', '\n')),
  of('a private key of a Windows file', '', pem('', '\r\n')),
  of('a private key with numbered lines', '', pem('EC ', '\n').replace(/^/gm, '   12→')),
  of('a private key in a diff', '', pem('OPENSSH ', '\n').replace(/^/gm, '+')),
  of('an address with a password', 'https://someone:', chance('basic', 12), '@example.com/x'),
  of('an address of a database', 'postgres://app:', 'hunter2-hunter2', '@db.internal:5432/app'),
  of('a header', 'Authorization: Basic ', chance('header', 24, 'base64')),
  of('a header in JSON', '{"authorization":"Bearer ', chance('bearer', 40, 'base64url'), '"}'),
  of("a provider's header", 'x-api-key: ', chance('xkey', 40)),
  of('a line of .env', 'DB_PASSWORD=', 'correct-horse-battery'),
  of('a line of .env with quotes', 'export SESSION_SECRET="', chance('env', 32), '"'),
  of('JSON', '{"client_secret": "', chance('json', 40), '"}'),
  of('YAML', 'api_key: ', chance('yaml', 32, 'hex')),
  of('code', "const password = '", 'tr0ub4dor&3'.replace('&', '-'), "'"),
]

/** What stays of a multi-line key, and of every other sample. */
export const secretParts = ({ secret }: SecretSample): string[] => (secret.includes('-----') ? keyLines : [secret])

const hash = (name: string, form: 'sha1' | 'sha256' | 'sha512', as: 'hex' | 'base64') => createHash(form).update(name).digest(as)
const picture = Buffer.alloc(3000, hash('picture', 'sha512', 'base64')).toString('base64')

/** It must not change. */
export const ordinary: string[] = [
  `commit ${hash('commit', 'sha1', 'hex')}\nAuthor: A <a@example.com>\n\n    Add a task-list-1234567890 to the risk-assessment-20260101`,
  '550e8400-e29b-41d4-a716-446655440000 is a UUID',
  `"integrity": "sha512-${hash('lock', 'sha512', 'base64')}"`,
  `resolved "https://registry.npmjs.org/a/-/a-1.0.0.tgz#${hash('yarn', 'sha1', 'hex')}"`,
  `checksum = "${hash('cargo', 'sha256', 'hex')}"`,
  `golang.org/x/text v0.3.0/go.mod h1:${hash('go', 'sha256', 'base64')}`,
  `<img src="data:image/png;base64,${picture}">`,
  '.sk-fading-circle .sk-circle12:before { animation-delay: -0.1s }',
  'Bearer authentication is required; Authorization: required. Set the token: see the docs.',
  'const token = nextToken(); const key = keyOf(story); password: string; secret: string | undefined',
  '{"input_tokens":1200,"output_tokens":300,"cache_read_input_tokens":123456789,"max_tokens": 64000}',
  'OPENAI_API_KEY=$OPENAI_API_KEY npm test; API_KEY=process.env.API_KEY; KEY=<your key here>',
  'http://localhost:3000/users/@me and http://user@example.com:8080/a:b@c, git@github.com:owner/name.git',
  'The test "reads a key" failed: expected "-----BEGIN PRIVATE KEY-----", got "-----BEGIN PUBLIC KEY-----"',
  `-----BEGIN CERTIFICATE-----\n${wrapped(chance('certificate', 640, 'base64')).join('\n')}\n-----END CERTIFICATE-----`,
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${chance('ssh', 43, 'base64')} a@b`,
  'npm_config_registry=https://registry.npmjs.org/ npm_lifecycle_event=test npm_package_json=/a/package.json',
  'tests/test_api_key.py::test_token PASSED, xai-models and hf_transfer, pypi-mirror, glpat-tokens-are-short',
  'a.b.c.d 1.2.3-eyJ.4 v1.eyJ.x ~Q~ sig=1 KEY=1 monkey=bananas, keyboard: qwerty, "key": "src/adapters/mask/credentials.ts:12"',
]
