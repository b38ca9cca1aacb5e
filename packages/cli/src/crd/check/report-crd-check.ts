import { counted } from '@strata/insight'
import type { Report, Result, Section } from '../../output/report.ts'
import { stepText } from '../plan/step-text.ts'
import {
  type CheckedRelease,
  type CheckRules,
  changeText,
  checkResults,
  rollbackFix,
} from './check-results.ts'
import type { CheckVerdict, CrdCheck } from './foretold-crd.ts'

export interface CheckQuestion {
  readonly older: readonly string[]
  readonly newest: CheckedRelease
  readonly rules: CheckRules
}

/** A table of the CRDs that something is to be said about; then what and why; then the verdict. */
export function reportCrdCheck(checks: readonly CrdCheck[], question: CheckQuestion): Report {
  const { newest, rules, older } = question
  const results = checks.flatMap((each) => checkResults(each, newest, rules))
  return {
    command: 'crd check',
    sections: [
      tableOf(checks),
      ...checks.filter(isTold).map((each) => textOf(each, results)),
      ...checks.map(allChanges),
      { notes: [summaryOf(checks, question)] },
    ],
    results,
    document: {
      ...{ older, newest: newest.name, isAccepted: isAccepted(results) },
      crds: checks.map((each) => documentOf(each, newest)),
    },
  }
}

export const isAccepted = (results: readonly Result[]): boolean =>
  results.every(({ level }) => level !== 'failed')

const isTold = ({ verdict }: CrdCheck): boolean => verdict !== 'ok' && verdict !== 'new'

function tableOf(checks: readonly CrdCheck[]): Section {
  const shown = checks.filter(isTold)
  if (shown.length === 0) return {}
  const rows = shown.map((each) => [
    each.name,
    each.verdict.toUpperCase(),
    each.refusals.map(({ path }) => path).join(', ') ||
      (each.refusedNew === undefined ? '-' : 'new clusters'),
    each.rollbacks.map(({ release }) => release).join(', ') || '-',
    each.changes.length === 0 ? '-' : String(each.changes.length),
  ])
  return {
    table: { columns: ['CRD', 'VERDICT', 'REFUSED BY CLUSTERS', 'NO WAY BACK TO', 'SCHEMA CHANGES'], rows },
  }
}

/** How many changes of the schema of one CRD are shown without -v. */
const shownChanges = 3

function textOf(check: CrdCheck, results: readonly Result[]): Section {
  const { name, changes } = check
  const kinds = new Set([...changes.map(({ kind }) => kind), 'breaks-rollback'])
  const own = results.filter(({ subject, rule }) => subject === name && !kinds.has(rule))
  const more = changes.length - shownChanges
  return {
    lead: [`${name}:`],
    notes: [
      ...own.flatMap(({ message, fix }) => [
        `  ${message}`,
        ...(fix === undefined ? [] : [`    Next: ${fix}`]),
      ]),
      ...rollbackLines(check),
      ...changes.slice(0, shownChanges).map((each) => `  ${changeText(each)}`),
      ...(more > 0 ? [`  and ${counted(more, 'more change')} of the schema (-v lists them)`] : []),
    ],
  }
}

/** One line for all releases to which the way back is refused for the same reason. The other forms have the server's words. */
function rollbackLines({ rollbacks }: CrdCheck): string[] {
  const byReason = Map.groupBy(rollbacks, ({ gone }) => gone.join(', '))
  return [...byReason].flatMap(([gone, [first, ...others]]) => {
    if (!first) return []
    const releases = [first, ...others].map(({ release }) => release).join(', ')
    const why = gone === '' ? first.refusal : `objects are stored in ${gone} then, which it does not have`
    return [`  no way back to ${releases}: ${why}`, `    Next: ${rollbackFix(first)}`]
  })
}

function allChanges({ name, changes }: CrdCheck): Section {
  if (changes.length <= shownChanges) return {}
  const notes = changes.slice(shownChanges).map((each) => `  ${changeText(each)}`)
  return { lead: [`${name}, the other changes of its schema:`], notes, isDetail: true }
}

function summaryOf(checks: readonly CrdCheck[], { newest, rules, older }: CheckQuestion): string {
  const count = (verdict: CheckVerdict): number => checks.filter((each) => each.verdict === verdict).length
  const refused = count('refused')
  const stuck = checks.filter(({ rollbacks }) => rollbacks.length > 0).length
  const from = `from ${older.join(', ')} to ${newest.name}`
  const warned = count('warnings')
  if (refused + stuck === 0) {
    const warnings = warned === 0 ? '' : `; ${warned} with warnings`
    return `${counted(checks.length, 'CRD')} ${from}: every cluster born at ${older[0] ?? newest.name} or later accepts the new files, and can go back${warnings}.`
  }
  const parts = [
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(stuck > 0 ? [`${stuck} without a way back${rules.mayBreakRollback ? ' (allowed)' : ''}`] : []),
  ]
  return `${counted(checks.length, 'CRD')} ${from}: ${parts.join(', ')}.`
}

/** For programs: with lines, and steps both as data and as text. */
function documentOf(check: CrdCheck, { lineOf }: CheckedRelease): object {
  const { name, place, refusals, rollbacks, changes, ...rest } = check
  const line = (at: Parameters<CheckedRelease['lineOf']>[1]) => (place ? { line: lineOf(name, at) } : {})
  return {
    name,
    ...(place ? { file: place.file } : {}),
    ...rest,
    refusals: refusals.map(({ at, ...each }) => ({
      ...{ ...each, ...line(at), texts: each.steps.map((step) => stepText(step)) },
    })),
    rollbacks: rollbacks.map(({ at, ...each }) => ({
      ...{ ...each, ...line(at), texts: each.steps.map((step) => stepText(step, 'old')) },
    })),
    changes: changes.map(({ at, ...each }) => ({ ...each, ...line(at) })),
  }
}
