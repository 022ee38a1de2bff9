/** An agent as a program without a screen: the prompt on its stdin, and output lines that separate its own words from those of tools and files. */
import type { Agent, Launch, Task } from '../../../ports.ts'
import { programOf } from '../command.ts'
import { type AgentOptions, type KnownAgent, sharedSkills } from './choice.ts'

type Headless = Required<Pick<KnownAgent, 'needs'>> &
  Omit<KnownAgent, 'agent'> &
  Omit<Agent, 'name' | 'program' | 'launch' | 'tellsWordsApart' | 'limits' | 'takesSystem'> & {
    /** The arguments after the command, and after the `own` ones that the user gave it. */
    args(task: Task, options: AgentOptions, own: string[]): string[]
    /** The environment, if it needs more than it is given. */
    env?(given: Record<string, string>, task: Task): Record<string, string>
    files?(task: Task, options: AgentOptions): Launch['files']
    /** See `Agent`; by the arguments that the user gave. */
    takesSystem?(own: string[]): boolean
    /** The prompt is one of its files or arguments, and standard input is empty. */
    takesInput?: false
    /** See `Launch`. */
    isStdinPipe?: boolean
    /** See `Agent`; for calls whose permissions are not skipped. */
    limits?(allowedTools: string): string
  }

/** `name` is also the name of its program, unless the settings name another. */
export function headless(
  name: string,
  {
    needs,
    skillsIn = sharedSkills,
    ordersIn = [],
    homeSettings = [],
    homeKeys = {},
    marksChildrenBy,
    args: argsFor,
    env: envFor,
    files,
    takesInput,
    isStdinPipe,
    limits,
    takesSystem,
    ...agent
  }: Headless,
): KnownAgent {
  return {
    needs,
    skillsIn,
    ordersIn,
    homeSettings,
    homeKeys,
    marksChildrenBy,
    agent({ command = [name], env }, options) {
      const { program, args } = programOf(name, command, options.root)
      const launch = (task: Task): Launch => {
        const given = { ...env, ...task.env }
        const made = files?.(task, options)
        return {
          command: program,
          args: [...args, ...argsFor(task, options, args)],
          env: envFor?.(given, task) ?? given,
          stdin: takesInput === false ? '' : task.prompt,
          ...(isStdinPipe ? { isStdinPipe } : {}),
          ...(made ? { files: made } : {}),
        }
      }
      const told = options.skipPermissions ? '' : (limits?.(options.allowedTools) ?? '')
      return {
        ...agent,
        ...{ name, program, tellsWordsApart: true, launch },
        ...(takesSystem === undefined ? {} : { takesSystem: takesSystem(args) }),
        ...(told === '' ? {} : { limits: told }),
      }
    },
  }
}
