import type { RehearsalEvent } from '../result/rehearsal-result.ts'

/** The events of an interleaving as numbered sentences. */
export function tellStory(events: readonly RehearsalEvent[]): readonly string[] {
  const lines = events.map(({ text, kind }) => (kind === 'step' ? `Next step: ${text}` : sentence(text)))
  return lines.map((line, index) => `${index + 1}. ${line}.`)
}

const sentence = (text: string): string =>
  `${text[0]?.toUpperCase() ?? ''}${text.slice(1).replace(/\.$/, '')}`
