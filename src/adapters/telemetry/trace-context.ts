/** The trace of a run, made from its id: the same before and after a kill, and in every process that asks. */
import { createHash } from 'node:crypto'

/** Anything else about OpenTelemetry is loaded only then. */
export const isTelemetrySet = ({
  settings,
  env,
}: {
  settings: { 'telemetry.otlp': string }
  env: Record<string, string>
}): boolean =>
  env['OTEL_SDK_DISABLED'] !== 'true' && (settings['telemetry.otlp'] !== '' || (env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== '')

const hashed = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length)

export const traceIdOf = (run: string): string => hashed(`ralph run ${run}`, 32)
export const spanIdOf = (run: string, key: string): string => hashed(`ralph span ${run} ${key}`, 16)

/** What an agent that traces itself needs to appear below its call. */
export const traceVariables = (run: string, key: string, settings: { 'telemetry.otlp': string }): Record<string, string> => ({
  TRACEPARENT: `00-${traceIdOf(run)}-${spanIdOf(run, key)}-01`,
  ...(settings['telemetry.otlp'] === '' ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: settings['telemetry.otlp'] }),
})
