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
  ...{ operations: {}, unexpected: [], crdRounds: 3, crdProblems: [], restarts: 2, ended: [] },
  livez: { probes: 300, failures: [], medianMs: 2, p99Ms: 20, slowestMs: 200, ownDelayMs: 10 },
  memory: [],
}
const growing = Array.from({ length: 40 }, (_, minute) => ({
  ...{ atMs: minute * 60_000, residentBytes: 0 },
  heapBytes: (60 + minute) * 1024 * 1024,
}))

const cases: ReadonlyArray<[name: string, figures: Partial<SoakFigures>, problem: RegExp | undefined]> = [
  ['all is well', {}, undefined],
  ['a stuck watch', { stuck: 1 }, /^1 watches are stuck$/],
  ['a beat that was left out', { gaps: ['7 after 5'] }, /^watches left out beats: 7 after 5$/],
  ['a server that ended', { ended: ['a ended:'] }, /^a ended/],
  ['an answer that was not expected', { unexpected: ['create answered 500'] }, /^create answered 500$/],
  ['a slow /livez', { livez: { ...well.livez, slowestMs: 1_200 } }, /^\/livez took 1200 ms$/],
  [
    'a machine that was slow for all',
    { livez: { ...well.livez, slowestMs: 1_200, ownDelayMs: 900 } },
    undefined,
  ],
  [
    'a /livez that did not answer',
    { livez: { ...well.livez, failures: ['x'] } },
    /^\/livez failed 1 times: x$/,
  ],
  ['memory that grows', { memory: growing }, /^memory grows by 1024 KiB a minute$/],
  ['memory of which too little is known', { memory: growing.slice(0, 10) }, undefined],
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
