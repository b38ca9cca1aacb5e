import { counted } from '@strata/insight'
import type { InterleavingSearch, Reason, RehearsalResult, StepResult } from '@strata/rehearsal'
import { searchText, serverText, storyTitle, summaryOf, verdictText } from '@strata/rehearsal/result'
import { exitCodes, worstCode } from '../output/exit-codes.ts'
import type { Report, Result, Section } from '../output/report.ts'
import { foldReasons } from './fold-reasons.ts'

export interface PlayedRehearsal {
  readonly file: string
  /** The line of each step. */
  readonly lines: readonly number[]
  readonly result: RehearsalResult
}

export function reportRehearsals(played: readonly PlayedRehearsal[]): Report {
  return {
    command: 'rehearse',
    sections: played.flatMap(sectionsOf),
    results: played.flatMap(resultsOf),
    document: { rehearsals: played.map(({ file, result }) => ({ file, ...result })) },
  }
}

/** 0: each step has the verdict that it should have. */
export function exitOfRehearsals(played: readonly PlayedRehearsal[]): number {
  const failed = played.flatMap(({ result }) => result.steps.filter(({ passed }) => !passed))
  if (failed.length === 0) return exitCodes.proven
  return worstCode(
    failed.map(({ verdict }) => exitCodes[verdict === 'could not see' ? 'unknown' : 'incomplete']),
  )
}

function sectionsOf({ file, result }: PlayedRehearsal): Section[] {
  const { steps, interleavings } = result
  return [
    {
      lead: [`${file}: ${counted(result.servers, 'server')}, ${serverText(result)}`],
      table: {
        columns: ['STEP', 'WHAT HAPPENS', 'VERDICT', 'STORED AFTERWARDS', { wide: 'SIMULATED' }],
        rows: steps.map((each) => [
          String(each.step),
          each.text,
          verdictText(each),
          storedText(each),
          `${((each.toMs - each.fromMs) / 1000).toFixed(1)}s`,
        ]),
      },
    },
    ...steps.flatMap(whySection),
    ...storySection(interleavings),
    { notes: [searchText(result), summaryOf(result)] },
  ]
}

const storedText = ({ stored }: StepResult): string =>
  stored
    .map(({ resource, versions }) => {
      const counts = Object.entries(versions).map(
        ([version, count]) => `${count} ${version.split('/').at(-1)}`,
      )
      return `${resource.split('.')[0]}: ${counts.join(', ') || 'none'}`
    })
    .join('; ') || '-'

function whySection({ step, text, reasons, verdict }: StepResult): Section[] {
  const shown = verdict === 'safe' ? [] : reasons.filter(({ level }) => level !== 'note')
  const notes = reasons.filter((each) => !shown.includes(each))
  return [
    ...(shown.length > 0
      ? [{ lead: [`${step}. ${text}: ${verdict}`], notes: foldReasons(shown).flatMap(reasonLines) }]
      : []),
    ...(notes.length > 0
      ? [
          {
            lead: [`${step}. ${text}, notes:`],
            notes: foldReasons(notes).flatMap(reasonLines),
            isDetail: true,
          },
        ]
      : []),
  ]
}

const reasonLines = ({ message, fix }: Pick<Reason, 'message' | 'fix'>): string[] => [
  `  ${message}`,
  ...(fix === undefined ? [] : [`    Next: ${fix}`]),
]

function storySection({ found }: InterleavingSearch): Section[] {
  if (!found) return []
  return [{ lead: [`${storyTitle(found)}:`], notes: found.story.map((line) => `  ${line}`) }]
}

function resultsOf({ file, lines, result }: PlayedRehearsal): Result[] {
  return result.steps.map((step) => resultOf(step, { file, line: lines[step.step - 1] }, result))
}

function resultOf(
  { step, text, verdict, expected, passed, reasons }: StepResult,
  place: Pick<Result, 'file' | 'line'>,
  { server, interleavings }: RehearsalResult,
): Result {
  const [first] = reasons.filter(({ level }) => level === verdict)
  const others = foldReasons(reasons.filter(({ level }) => level !== 'note')).map(({ message }) => message)
  const isFound = interleavings.found?.step === step
  const story = isFound ? `\n${interleavings.found?.story.join('\n')}` : ''
  const wanted = expected === 'safe' ? '' : ` (expected: ${expected})`
  return {
    level: passed ? 'passed' : verdict === 'could not see' ? 'unknown' : 'failed',
    rule: passed ? 'as-expected' : (first?.rule ?? 'unexpected'),
    subject: `${step}. ${text}`,
    message: `${verdict}${wanted}, server: ${server}${others.length === 0 ? '' : `: ${others.join('; ')}`}${story}`,
    ...(first?.fix === undefined ? {} : { fix: first.fix }),
    ...place,
  }
}
