/** `ralph plan` with the real Claude Code and a scripted model behind it. */
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { test } from 'node:test'
import { startModelServer, type Turn } from './support/model-server.ts'
import { makeProject } from './support/project.ts'
import { claudeEnvironment, realClaude } from './support/real-claude.ts'

const story = {
  ...{ id: 'S-1', title: 'Sign up', description: 'For readers.', acceptanceCriteria: ['POST /accounts gives 201'] },
  ...{ priority: 1, dependsOn: [] },
}
const answers = (args: Record<string, unknown>): Turn => ({ tool: { name: 'StructuredOutput', args } })

test('Claude Code looks at the project without being able to change it, and writes stories and a critique in their forms [R-IDEA-2]', async (t) => {
  const server = await startModelServer([
    { tool: { bash: 'touch made-by-the-agent' } },
    answers({ stories: [story] }),
    answers({ findings: [] }),
  ])
  const project = makeProject({ stories: null, config: { agent: 'claude', process: { grace_seconds: 0.5 } } })
  t.after(async () => {
    await server.close()
    project.remove()
  })
  mkdirSync(project.path('../bin'))
  symlinkSync(realClaude(), project.path('../bin/claude'))
  const { PATH, ...environment } = claudeEnvironment(project.home, server.url)
  Object.assign(project.env, environment, { PATH: `${project.path('../bin')}:${PATH ?? ''}:${project.env['PATH']}` })
  const { code, out, err } = await project.run('plan', 'Readers', 'have', 'accounts', '-f', 'accounts', '--yes')
  assert.equal(code, 0, out + err)
  assert.match(err, /^Asking claude for stories\.[\s\S]*^Asking claude for a critique\.[\s\S]*^The critic found no problems\.$/m)
  const { userStories } = JSON.parse(project.read('.ralph/accounts/prd.json'))
  assert.deepEqual(
    userStories.map(({ id, acceptanceCriteria }: typeof story) => [id, acceptanceCriteria]),
    [['S-1', ['POST /accounts gives 201']]],
  )
  assert.deepEqual([project.has('made-by-the-agent'), project.git('status', '--porcelain', '--', ':!.ralph')], [false, ''])
  const asked = server.requests.filter(({ body }) => body.tools?.length).map(({ body }) => JSON.stringify(body))
  assert.ok(asked.some((body) => body.includes('# Stories for the feature accounts') && body.includes('Readers have accounts')))
  assert.ok(asked.some((body) => body.includes('# Critique of the plan for the feature accounts')))
})
