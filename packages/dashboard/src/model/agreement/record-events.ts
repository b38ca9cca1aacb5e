/** An Event of the core group, as far as it is shown. */
export interface RecordEvent {
  readonly metadata: { readonly name?: string; readonly uid?: string }
  readonly reason?: string
  readonly message?: string
  readonly lastTimestamp?: string | null
  readonly eventTime?: string | null
  readonly firstTimestamp?: string | null
}

export interface HistoryLine {
  readonly key: string
  readonly at: string | undefined
  readonly reason: string
  readonly message: string
}

const mostLines = 30

/** The latest first. */
export function decideHistory(events: readonly RecordEvent[]): readonly HistoryLine[] {
  return events
    .map(({ metadata, reason = '', message = '', lastTimestamp, eventTime, firstTimestamp }) => ({
      ...{ key: metadata.uid ?? metadata.name ?? '', reason, message },
      at: lastTimestamp ?? eventTime ?? firstTimestamp ?? undefined,
    }))
    .sort((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : -1))
    .slice(0, mostLines)
}
