import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeEvents, placeSpans, toneOfMark } from './place-events.ts'
import type { EventTone, Lane, TimelineEvent } from './timeline-event.ts'

const event = (atMs: number, lane: Lane = 'servers', tone: EventTone = 'plain'): TimelineEvent => ({
  ...{ id: `${lane} ${atMs}`, atMs, lane, tone, text: 'it happened' },
})
const window = { fromMs: 0, toMs: 100 }
const shown = (...events: readonly TimelineEvent[]) =>
  placeEvents(events, window, 0.05).map(({ lane, place, events: each }) => `${lane} ${place} ${each.length}`)

const cases: ReadonlyArray<[name: string, events: readonly TimelineEvent[], want: readonly string[]]> = [
  ['far apart', [event(10), event(50)], ['servers 0.1 1', 'servers 0.5 1']],
  ['near ones are one mark', [event(10), event(12), event(14)], ['servers 0.1 3']],
  ['each lane by itself', [event(10), event(11, 'faults')], ['servers 0.1 1', 'faults 0.11 1']],
  ['what is out of sight', [event(-1), event(101)], []],
]
for (const [name, events, want] of cases)
  test(`marks: ${name}`, () => assert.deepEqual(shown(...events), want))

const tones: ReadonlyArray<[EventTone[], EventTone]> = [
  [['disagreed', 'good'], 'good'],
  [['alarm', 'good'], 'alarm'],
  [[], 'plain'],
]
for (const [all, want] of tones)
  test(`marks: of ${all.join(', ') || 'nothing'}: ${want}`, () =>
    assert.equal(toneOfMark(all.map((tone) => event(1, 'servers', tone))), want))

const span = (fromMs: number, toMs?: number) => ({ ...event(0), fromMs, toMs })
const bars: ReadonlyArray<
  [name: string, span: ReturnType<typeof span>, want: readonly number[] | undefined]
> = [
  ['one that lasts ends now', span(20), [0.2, 0.8]],
  ['one that began before', span(-50, 30), [0, 0.3]],
  ['one that was over before', span(-50, -10), undefined],
  ['one that comes later', span(120, 130), undefined],
]
for (const [name, each, want] of bars)
  test(`bars: ${name}`, () => {
    const [bar] = placeSpans([each], window, 80)
    assert.deepEqual(bar && [bar.from, bar.to], want)
  })
