/** Whole runs with a real agent: a project that uses it, a scripted model, and common queries. */
import type { TestContext } from 'node:test'
import { ofRun } from '../../src/adapters/process/process-mark.ts'
import { findTagged } from '../../src/adapters/process/survivors.ts'
import type { RealAgent } from './agent-call.ts'
import { type ModelServer, startModelServer, type Turn } from './model-server.ts'
import { makeProject, type ProjectSketch, type TestProject } from './project.ts'

export async function realProject(
  t: TestContext,
  { name, program, environment, args = [], format }: RealAgent,
  turns: Turn[],
  { config, ...sketch }: ProjectSketch = {},
): Promise<{ project: TestProject; server: ModelServer }> {
  const server = await startModelServer(turns)
  const project = makeProject({
    ...sketch,
    config: {
      agent: { name, command: [program(), ...args], ...(format ? { format } : {}) },
      claude: { dangerously_skip_permissions: true },
      process: { grace_seconds: 0.5 },
      review: { enabled: false }, // tests of the reviewer turn it on
      learn: { enabled: false },
      ...config,
    },
  })
  // Ralph passes its environment on to the agent: a dummy key, and a model on this machine.
  Object.assign(project.env, environment(project.home, server.url))
  t.after(async () => {
    await server.close()
    project.remove()
  })
  return { project, server }
}

/** What a good agent does in its shell for one story. */
export const does = (id: string): Turn => ({
  tool: {
    bash: [
      `echo ${id} > ${id}.txt`,
      `git add ${id}.txt`,
      `git commit -q -m "feat: ${id} - Story ${id}"`,
      `sed -i '0,/"passes": false/s//"passes": true/' .ralph/thing/prd.json`, // the first open one
    ].join(' && '),
  },
})

/** Processes of the run that are still alive. */
export const leftOver = (project: TestProject) => findTagged(ofRun(project.events()[0]!.run))
