/** Makes the pieces that the dashboard shares with the report. */
import { h, type VNode } from 'preact'
import type { Make } from '../../../views/report/shared/parts.ts'

export const make: Make<VNode> = (tag, attributes, ...inside) => h(tag, attributes, ...inside)
