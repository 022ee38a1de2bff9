/** Under this name the repository keeps the state that a story began with. */
import type { StoryId } from '../core/types.ts'

export const beginningOf = ({ feature }: { feature: string }, story: StoryId): string => `${feature}/${story}`
