// What reports and the dashboard say about a result. It needs no server: a browser can import it.
import { counted } from '@strata/insight'
import type { InterleavingSearch, RehearsalResult, StepResult } from './rehearsal-result.ts'

export type * from './rehearsal-result.ts'

/** Which kind of server the verdicts are about. */
export const serverText = ({ server }: Pick<RehearsalResult, 'server'>): string =>
  server === 'strata' ? 'server: strata' : 'server: kube-apiserver, which has no fence'

/** `safe`, `UNSAFE (expected)`, `REFUSED (expected: unsafe)` */
export function verdictText({
  verdict,
  expected,
  passed,
}: Pick<StepResult, 'verdict' | 'expected' | 'passed'>): string {
  if (verdict === 'safe' && passed) return 'safe'
  const shown = verdict.toUpperCase()
  if (passed) return `${shown} (expected)`
  return expected === 'safe' ? shown : `${shown} (expected: ${expected})`
}

export const storyTitle = ({
  step,
  verdict,
}: Pick<NonNullable<InterleavingSearch['found']>, 'step' | 'verdict'>): string =>
  `How step ${step} becomes ${verdict}, found by stopping a server in the middle of a write`

export function searchText({
  interleavings,
  server,
  world,
}: Pick<RehearsalResult, 'interleavings' | 'server' | 'world'>): string {
  const { searched, possible, lateWrites, found } = interleavings
  if (world === 'processes') return 'Real processes: no interleavings are searched.'
  if (searched === 0) {
    return possible === 0
      ? 'No interleavings: no server lives through two steps.'
      : 'No interleavings were searched.'
  }
  const late = lateWrites.stored + lateWrites.refused
  const refusedBy = server === 'strata' ? 'the fence refused' : 'the store refused'
  const fate =
    late === 0
      ? ''
      : `; of ${counted(late, 'write')} that arrived late, ${refusedBy} ${lateWrites.refused}, and ${lateWrites.stored} were stored`
  const end = found ? 'at least one is worse' : 'none is worse'
  return `${searched} of ${possible} interleavings, in which a server stops in the middle of a write: ${end}${fate}.`
}

export function summaryOf({
  steps,
  passed,
  verdict,
  server,
}: Pick<RehearsalResult, 'steps' | 'passed' | 'verdict' | 'server'>): string {
  const who = server === 'strata' ? 'on Strata' : 'on kube-apiservers'
  const failed = steps.filter((each) => !each.passed)
  if (passed) {
    return verdict === 'safe'
      ? `SAFE ${who}: in each step every object was read through every server that was up and had heard of the change.`
      : `AS EXPECTED ${who}: every step has the verdict that it should have.`
  }
  const word = failed.some((each) => each.verdict !== 'safe') ? verdict.toUpperCase() : 'NOT AS EXPECTED'
  return `${word} ${who}: ${failed.map(({ step, text }) => `step ${step} (${text})`).join(', ')}.`
}
