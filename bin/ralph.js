#!/usr/bin/env node
// Hands over to the built program, on a Node that can run it. Written for any Node, so that an old one gets a sentence and not a stack trace.
const [major, minor] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 22 || (major === 22 && minor >= 12)

if (isNewEnough) import('../dist/main.js').catch(explain)
else handOver().catch(explain)

/** Runs the clone's own Node 24 in our place: same arguments, same terminal, signals passed on, its exit code ours. */
async function handOver() {
  const { spawn } = await import('node:child_process')
  const { existsSync } = await import('node:fs')
  const { fileURLToPath } = await import('node:url')
  const newer = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
  if (!existsSync(newer)) {
    process.stderr.write(
      `ralph needs Node 22.12 or newer and this is ${process.version}: install one (nodejs.org), or run "npm ci" in a clone of ralph.\n`,
    )
    process.exit(69)
  }
  // The program ends itself when this launcher vanishes without a word (kill -9): it compares its parent with RALPH_LAUNCHER.
  const env = Object.assign({}, process.env, { RALPH_LAUNCHER: String(process.pid) })
  const child = spawn(newer, [fileURLToPath(import.meta.url)].concat(process.argv.slice(2)), { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', explain)
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

function explain(error) {
  const isUnbuilt = error.code === 'ERR_MODULE_NOT_FOUND'
  const isShort = error.code === 'EMFILE' || error.code === 'ENFILE'
  const words = isUnbuilt
    ? 'ralph is not built here: run "npm run build" in the clone.'
    : isShort
      ? `ralph cannot be loaded: ${error.message}. Allow more open files (ulimit -n 1024, or more), then run again.`
      : `ralph: ${error.stack}`
  process.stderr.write(`${words}\n`)
  process.exit(isUnbuilt || isShort ? 69 : 70)
}
