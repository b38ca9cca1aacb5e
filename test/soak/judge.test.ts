import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BeatLog } from './beat-log.ts'
import { judge } from './judge.ts'
import type { SoakFigures } from './soak.ts'

const well: SoakFigures = {
  ...{
    minutes: 1,
    beats: 30,
    repeatedBeats: 0,
    watches: 10,
    events: 300,
    resumes: 5,
    relists: 0,
    gaps: [],
    stuck: 0,
  },
  ...{ longestSilenceMs: 2_500, longestBeatMs: 2_400, refused: 3 },
  operations: { create: 10, update: 10, patch: 10, apply: 10, delete: 10, get: 10, list: 10, page: 10 },
  ...{ unexpected: [], crdRounds: 3, crdProblems: [], restarts: 2, ended: [] },
  livez: {
    probes: 300,
    failures: [],
    medianMs: 2,
    p99Ms: 20,
    slowestMs: 200,
    slowestOfServerMs: 190,
    ownDelayMs: 10,
  },
  memory: [],
}
const mebibyte = 1024 * 1024
const grows = (each: 'heldBytes' | 'residentBytes', mebibytes: number) =>
  Array.from({ length: 40 }, (_, minute) => ({
    ...{ atMs: minute * 60_000, heldBytes: 60 * mebibyte, residentBytes: 200 * mebibyte },
    [each]: (200 + mebibytes * minute) * mebibyte,
  }))
const growing = grows('heldBytes', 1)

const longer: Partial<SoakFigures> = {
  ...{ minutes: 30, beats: 900, events: 9_000, livez: { ...well.livez, probes: 9_000 } },
  operations: { ...well.operations, create: 2_000 },
}

const cases: ReadonlyArray<[name: string, figures: Partial<SoakFigures>, problem: RegExp | undefined]> = [
  ['all is well', {}, undefined],
  ['a stuck watch', { stuck: 1 }, /^1 watches are stuck$/],
  ['a beat that was left out', { gaps: ['7 after 5'] }, /^watches left out beats: 7 after 5$/],
  ['a server that ended', { ended: ['a ended:'] }, /^a ended/],
  ['an answer that was not expected', { unexpected: ['create answered 500'] }, /^create answered 500$/],
  [
    'a slow /livez',
    { livez: { ...well.livez, slowestMs: 1_200, slowestOfServerMs: 1_200 } },
    /^\/livez took 1200 ms$/,
  ],
  [
    'a machine that was slow for all',
    { livez: { ...well.livez, slowestMs: 1_200, slowestOfServerMs: 300, ownDelayMs: 900 } },
    undefined,
  ],
  [
    'a /livez that did not answer',
    { livez: { ...well.livez, failures: ['x'] } },
    /^\/livez failed 1 times: x$/,
  ],
  ['memory that grows', { memory: growing }, /^memory grows by 1024 KiB a minute$/],
  [
    'a machine that was slow at another time',
    { livez: { ...well.livez, slowestMs: 5_800, slowestOfServerMs: 5_800, ownDelayMs: 5_000 } },
    /^\/livez took 5800 ms$/,
  ],
  ['memory that grows a little', { memory: grows('heldBytes', 0.1) }, undefined],
  ['memory below the heap that grows', { memory: grows('residentBytes', 50) }, /^resident memory grows by/],
  ['memory of which too little is known', { memory: growing.slice(0, 10) }, undefined],
  ['no memory in a long soak', { ...longer, memory: [] }, /^0 samples of memory are too few$/],
  ['no beat', { beats: 0 }, /^0 beats are too few/],
  ['no event', { events: 0 }, /^0 events are too few/],
  ['no probe', { livez: { ...well.livez, probes: 0 } }, /^0 probes/],
  ['beats that are hardly acknowledged', { repeatedBeats: 900 }, /^900 of 30 beats were sent again$/],
  ['watches that begin anew all the time', { relists: 5_000_000 }, /^watches began anew 5000000 times/],
  ['a watch that was stuck for a while', { longestSilenceMs: 60_000 }, /^a watch was stuck for 57600 ms$/],
  ['beats that took long for all', { longestSilenceMs: 30_000, longestBeatMs: 29_000 }, undefined],
  ['a kind of request that is never answered', { operations: { create: 900 } }, /^900 requests of 1 kinds/],
  ['requests that are mostly refused', { refused: 500 }, /^500 requests were refused/],
]
for (const [name, figures, problem] of cases) {
  test(`soak: ${name} is ${problem ? 'a problem' : 'none'}`, () => {
    const { problems } = judge({ ...well, ...figures })
    assert.equal(problems.length, problem ? 1 : 0, problems.join('; '))
    if (problem) assert.match(problems[0] ?? '', problem)
  })
}

test('soak: beats are seen once each and in order, but for what has expired', () => {
  const log = new BeatLog()
  for (const beat of [3, 4, 5]) log.take(beat)
  log.restart()
  log.take(9)
  assert.deepEqual(log.gaps, [])
  for (const beat of [9, 11]) log.take(beat)
  assert.deepEqual(log.gaps, ['9 after 9', '11 after 9'])
})
