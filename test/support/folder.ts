/** A folder for tests: gone when the test that it is given is over, or else all tests of the file. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
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
