/** An icon beside a word. */
import type { IconName } from '../../../views/report/shared/icons.ts'
import { icon } from '../../../views/report/shared/parts.ts'
import { make } from './make.ts'

export const Icon = ({ name }: { name: IconName }) => icon(make, name)
