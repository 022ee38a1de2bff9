/** Every mode of Ralph that the fault walk walks. */
import type { Scene } from './scene.ts'
import { bestOf } from './scenes/best-of.ts'
import { imported } from './scenes/imported.ts'
import { parallel } from './scenes/parallel.ts'
import { people } from './scenes/people.ts'
import { reviewed } from './scenes/reviewed.ts'
import { sequential } from './scenes/sequential.ts'

export const scenes: Scene[] = [sequential, reviewed, parallel, bestOf, imported, people]
