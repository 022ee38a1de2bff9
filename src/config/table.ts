/** Every setting, declared once: types, checks, flags, variables, documentation and the editor's schema come from this table. */
import type { Plain } from './setting.ts'
import { judgingSettings } from './settings/judging.ts'
import { loopSettings } from './settings/loop.ts'
import { surroundingSettings } from './settings/surroundings.ts'

type Table = typeof table
export type Key = keyof Table
export type Settings = { [K in Key]: null extends Table[K]['default'] ? Plain<Table[K]> | null : Plain<Table[K]> }

/** The variable for a key: keys of `defaults` bare, others with their section. */
export const envName = (key: Key): string =>
  `RALPH_${key
    .replace(/^defaults\./, '')
    .replaceAll('.', '_')
    .toUpperCase()}`

/** In the order of the documentation. */
export const table = { ...loopSettings, ...judgingSettings, ...surroundingSettings }
