/** A PostgreSQL for the tests: from Debian's package, as an ordinary user, on a free port, in a temporary folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Postgres = {
  /** For a role with rights only on its own database. */
  url: string
  port: number
  folder: string
  certificate: string
  /** Another empty database of the same role. */
  database(name: string): string
  stop(signal?: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Restarts it with the same data on the same port. */
  start(): Promise<void>
  remove(): Promise<void>
}

/** `isEncrypted`: accepts only TLS, with a self-signed certificate for localhost: `certificate`. */
export async function startPostgres(options: { isEncrypted?: true } = {}): Promise<Postgres> {
  const bin = binFolder()
  const folder = mkdtempSync(join(tmpdir(), 'ralph-postgres-'))
  chmodSync(folder, 0o755)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) for (const path of [folder, data]) chownSync(path, nobody, nobody)
  must(bin, 'initdb', ['-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  const port = await freePort()
  const settings = [
    `port = ${port}`,
    `listen_addresses = '127.0.0.1'`,
    `unix_socket_directories = '${folder}'`,
    'fsync = on',
    ...(options.isEncrypted ? ['ssl = on'] : []),
  ]
  writeFileSync(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`)
  if (options.isEncrypted) encrypt(data)
  let child: ChildProcess
  const sql = (text: string): void =>
    must(bin, 'psql', ['-h', folder, '-p', String(port), '-U', 'owner', '-d', 'postgres', '-qc', text])
  const start = async (): Promise<void> => {
    child = spawn(...asOrdinary(bin, 'postgres', ['-D', data]), { stdio: ['ignore', 'ignore', 'pipe'], env: plainEnv })
    let said = ''
    const isUp = new Promise<void>((resolve, reject) => {
      child.stderr!.on('data', (chunk) => {
        said = (said + chunk).slice(-4000)
        if (/ready to accept connections/.test(said)) resolve()
      })
      child.once('exit', () => reject(new Error(`postgres ended: ${said}`)))
    })
    await isUp
  }
  const stop = async (signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await gone
  }
  await start()
  sql('create role ralph login')
  sql('create database fleet owner ralph')
  return {
    url: `postgres://ralph@127.0.0.1:${port}/fleet`,
    port,
    folder,
    certificate: join(data, 'server.crt'),
    database: (name) => {
      sql(`create database ${name} owner ralph`)
      return `postgres://ralph@127.0.0.1:${port}/${name}`
    },
    start,
    stop,
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function encrypt(data: string): void {
  const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')]
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=localhost',
    '-keyout',
    key,
    '-out',
    certificate,
  ]
  const { status, stderr } = spawnSync('openssl', [...args, '-addext', 'subjectAltName=DNS:localhost'], {
    encoding: 'utf8',
    env: plainEnv,
  })
  if (status !== 0) throw new Error(`openssl: ${stderr}`)
  chmodSync(key, 0o600)
  writeFileSync(join(data, 'pg_hba.conf'), 'local all all trust\nhostssl all all 127.0.0.1/32 trust\n')
  if (isRoot) for (const path of [key, certificate]) chownSync(path, nobody, nobody)
}

const isRoot = process.getuid?.() === 0
const nobody = 65534
const plainEnv = { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8' }

/** It refuses to run as root. */
const asOrdinary = (bin: string, program: string, args: string[]): [string, string[]] =>
  isRoot
    ? ['setpriv', ['--reuid', String(nobody), '--regid', String(nobody), '--clear-groups', join(bin, program), ...args]]
    : [join(bin, program), args]

function must(bin: string, program: string, args: string[]): void {
  const { status, stderr } = spawnSync(...asOrdinary(bin, program, args), { encoding: 'utf8', env: plainEnv, cwd: '/' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
}

/** Not in the PATH on Debian: of several versions the newest is used. */
function binFolder(): string {
  const found = globSync('/usr/lib/postgresql/*/bin').filter((folder) => existsSync(join(folder, 'postgres')))
  const newest = found.sort((a, b) => Number(a.split('/')[4]) - Number(b.split('/')[4])).at(-1)
  if (newest !== undefined) return newest
  const { stdout, status } = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  throw new Error('PostgreSQL is not here: npm test installs it (apt-get install postgresql)')
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
