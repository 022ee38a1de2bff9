/** The files of a feature with a plan from an issue: everything is fetched and checked before the first file is written. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../../adapters/files/files.ts'
import { checklistItems } from '../../adapters/import/checklist-items.ts'
import { fetchIssue, type IssueAddress } from '../../adapters/import/github.ts'
import { planAfter, planBefore } from '../../adapters/import/plan-text.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { featureLabel } from '../../adapters/project/layout.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { fromIssue, issueSpec, issueSpecPath } from '../../core/import/issue.ts'
import { shownPlan } from '../../core/import/story-preview.ts'
import type { Io } from '../../io.ts'
import { masked } from '../../run/outputs/masked.ts'
import type { First, NewFile } from './first-files.ts'

/** The plan is written last: if it exists, all files do. */
export async function issueFiles(address: IssueAddress, first: First, io: Io): Promise<{ files: NewFile[]; report: string }> {
  const { feature, root, planPath, settings, head } = first
  const before = await planBefore(planPath, readIfThere(join(root, planPath)))
  if (before.stories.length > 0) throw new Failure(EXIT.usage, `${planPath} already has stories. Choose another feature name.`)
  const spec = `${featureLabel(feature)}/${issueSpecPath({ id: String(address.number) })}`
  if (existsSync(join(root, spec)))
    throw new Failure(EXIT.usage, `${spec} already exists. Move it away, or choose another feature name.`)

  const { issue: written, warnings } = await fetchIssue(address, io.env, root)
  const issue = masked(written, masker(io.env)) // the files are for the repository
  const plan = fromIssue(issue, checklistItems, issueSpecPath(issue))
  const { file, stories } = await planAfter(before, plan, head)
  const others = first.missing.filter(({ path }) => path !== planPath)
  const files = [
    ...others,
    { path: spec, text: issueSpec(issue, settings['completion.promise']) },
    { path: planPath, text: file.text },
  ]
  const count = stories.length === 1 ? '1 story' : `${stories.length} stories`
  const shown = shownPlan({ ...plan, stories, remarks: [...plan.remarks, ...warnings] })
  return { files, report: `${count} from issue ${issue.id} of ${issue.repository}:\n\n${shown}` }
}
