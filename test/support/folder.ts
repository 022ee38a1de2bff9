/** A folder for tests: gone when the test that it is given is over, or else all tests of the file. */
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'

export function tempFolder(t?: Pick<TestContext, 'after'>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-test-')))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  if (t === undefined) after(remove)
  else t.after(remove)
  return folder
}

/** The time of the file system, in milliseconds, once it is later than that of everything written so far. */
export function fileClock(folder: string): number {
  const probe = join(folder, '.clock')
  const now = (): number => {
    writeFileSync(probe, '')
    return statSync(probe).ctimeMs
  }
  const first = now()
  for (let next = now(); ; next = now()) {
    if (next === first) continue
    rmSync(probe)
    return next
  }
}
