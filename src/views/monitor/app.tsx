/** The monitor on a terminal: draws twice a second, and turns keys into requests. */
import { Box, render, Text, useApp, useInput, usePaste, useWindowSize } from 'ink'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Tone } from '../screen/line.ts'
import { inAscii } from '../terminal/glyphs.ts'
import type { TerminalLook } from '../terminal/look.ts'
import { type FrameLine, frameOf } from './frame.ts'
import { afterInput, afterPaste, firstView, type KeyContext, type MonitorAct, type MonitorView, type OpenedAt } from './keys.ts'
import type { Model } from './model.ts'

export type MonitorDoors = {
  first: Model
  terminal: Pick<TerminalLook, 'hasColour' | 'hasGlyphs'>
  /** It shares the terminal with the run itself. */
  isInPlace: boolean
  /** Never throws: problems come as text. */
  look(feature: string, opened: OpenedAt | null): Promise<Model | string>
  /** Returns the result as text. */
  ask(feature: string, act: MonitorAct): Promise<string>
  featureAfter(feature: string): string
}

/** Runs until a person quits (null) or a signal ends it. Restores the terminal in both cases. */
export async function showMonitor(watched: MonitorDoors): Promise<NodeJS.Signals | null> {
  let by: NodeJS.Signals | null = null
  const app = render(<Monitor {...watched} />, {
    alternateScreen: true,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
  })
  const end = (signal: NodeJS.Signals): void => {
    by = signal
    app.unmount()
  }
  for (const signal of signals) process.on(signal, end)
  try {
    await app.waitUntilExit()
  } finally {
    for (const signal of signals) process.off(signal, end)
  }
  return by
}

const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
const lookMs = 500

function Monitor({ first, terminal, isInPlace, look, ask, featureAfter }: MonitorDoors) {
  const { exit } = useApp()
  const size = useWindowSize()
  const [model, setModel] = useState(first)
  const [feature, setFeature] = useState(first.feature)
  const [view, setView] = useState(firstView)
  // Several keys may arrive before the next drawing: each must see the effect of the previous one.
  const latest = useRef(view)
  const show = useCallback((next: MonitorView): void => {
    latest.current = next
    setView(next)
  }, [])

  const { opened } = view
  useEffect(() => {
    let isOver = false
    let timer: NodeJS.Timeout
    const again = async (): Promise<void> => {
      const seen = await look(feature, opened)
      if (isOver) return
      if (typeof seen === 'string') show({ ...latest.current, message: seen })
      else setModel(seen)
      timer = setTimeout(again, lookMs)
    }
    void again()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [feature, opened, look, show])

  const frame = frameOf(model, view, size, isInPlace)
  const took = ({ view: next, acts }: { view: MonitorView; acts: MonitorAct[] }): void => {
    show(next)
    for (const act of acts)
      if (act.kind === 'leave') exit()
      else if (act.kind === 'interrupt') process.kill(process.pid, 'SIGINT')
      else if (act.kind === 'switch') setFeature(featureAfter(feature))
      else void ask(feature, act).then((message) => show({ ...latest.current, message }))
  }
  useInput((input, key) => took(afterInput(latest.current, input, key, contextOf(model, frame.page))))
  usePaste((text) => took(afterPaste(latest.current, text)))

  return (
    <Box flexDirection="column" width={size.columns} height={Math.max(1, size.rows - 1)} overflow="hidden">
      <Lines lines={frame.top} terminal={terminal} />
      <Box flexDirection={frame.isWide ? 'row' : 'column'} flexGrow={1} overflow="hidden">
        <Box flexDirection="column" flexShrink={0} width={frame.left} paddingRight={frame.isWide ? 2 : 0}>
          <Lines lines={frame.stories} terminal={terminal} />
        </Box>
        <Box
          flexDirection="column"
          flexGrow={1}
          width={frame.isWide ? size.columns - frame.left : size.columns}
          overflow="hidden"
        >
          <Lines lines={frame.log} terminal={terminal} />
        </Box>
      </Box>
      <Lines lines={[frame.foot]} terminal={terminal} />
    </Box>
  )
}

const contextOf = ({ panes, opened, stories, ...about }: Model, page: number): KeyContext => ({
  ...about,
  stories: stories.rows.map(({ id }) => id),
  current: stories.current,
  iterations: opened?.iterations.map(({ iteration }) => iteration) ?? [],
  logLines: opened?.log.length ?? Math.max(0, ...panes.map(({ log }) => log.length)),
  page,
})

function Lines({ lines, terminal: { hasColour, hasGlyphs } }: { lines: FrameLine[]; terminal: MonitorDoors['terminal'] }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map(({ tone, text, isChosen = false }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place on the screen
        <Text key={place} wrap="truncate-end" {...(hasColour ? looks[tone] : {})} inverse={isChosen}>
          {text === '' ? ' ' : hasGlyphs ? text : inAscii(text)}
        </Text>
      ))}
    </Box>
  )
}

const looks: Record<Tone, { color?: string; dimColor?: boolean; bold?: boolean }> = {
  plain: {},
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow' },
  dim: { dimColor: true },
  strong: { bold: true },
}
