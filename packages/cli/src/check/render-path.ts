import type { UpgradeVerdict } from '@strata/api'
import { type Section, textSections } from '../output/report.ts'
import type { PathStep } from './releases/decide-return.ts'
import type { KubernetesPath } from './releases/kubernetes-path.ts'

const goes: Readonly<Record<UpgradeVerdict, string>> = {
  Safe: 'yes',
  Unsafe: 'NO',
  CouldNotSee: 'could not see',
}

/** The way, with a row for each step. */
export function pathSections({ serverVersion, from, to, steps, unknownRelease }: KubernetesPath): Section[] {
  if (unknownRelease !== undefined)
    return textSections(
      `Unknown release: ${unknownRelease}. Take a newer strata, or say with --decodable what the release reads.`,
    )
  if (steps.length === 0) return textSections(`The cluster runs ${serverVersion}: it is at ${to} already.`)
  const way = [from, ...steps.map(({ release }) => release)].join(' → ')
  const single = steps.length === 1 ? '' : '; an API server takes one minor release at a time'
  return [
    {
      lead: [`The cluster runs ${serverVersion}. The way: ${way}${single}.`],
      table: {
        columns: ['STEP', 'READS ALL', `BACK TO ${from}`, 'NO LONGER SERVED'],
        rows: steps.map((step) => [
          step.release,
          goes[step.verdict],
          step.canComeBack ? 'yes' : 'NO',
          notServedText(step),
        ]),
      },
    },
  ]
}

/** By version, because most go as a whole: `batch/v1beta1: cronjobs`. */
function notServedText({ notServed }: PathStep): string {
  const texts = [...Map.groupBy(notServed, ({ apiVersion }) => apiVersion)].map(([apiVersion, all]) => {
    const names = all.map(({ name }) => name.split('.')[0]).join(', ')
    return `${apiVersion}: ${names}${all.every(({ isOptional }) => isOptional) ? ' (unless a flag says so)' : ''}`
  })
  return texts.length === 0 ? '-' : texts.join('; ')
}

/** Whether the way back is open, and what the answer assumes. */
export function returnSections({
  from,
  steps,
  noReturns,
  leftBehind,
  assumptions,
  repository,
}: KubernetesPath): Section[] {
  const origin = `What each release stores and reads comes from ${repository}${tagsText(steps)}.`
  if (steps.length === 0) return textSections(origin)
  const back =
    noReturns.length === 0
      ? [`Rollback: ${from} can read everything that ${stepsText(steps)}.`]
      : noReturns.map(
          ({ name, step, written, unreadableAt }) =>
            `Rollback: no way back from ${step} for ${name}: it writes ${written}, which ${unreadableAt} cannot read.`,
        )
  const left =
    leftBehind.length === 0
      ? []
      : [
          `After a rollback, objects of kinds that ${from} does not have stay in the store, unseen: ${leftBehind.join(', ')}.`,
        ]
  return textSections([...back, ...left].join('\n'), [...assumptions, origin].join('\n'))
}

/** Upwards and downwards: `1.37 writes`, `the releases from 1.35 to 1.33 write`. */
function stepsText(steps: readonly PathStep[]): string {
  const [first, last] = [steps[0]?.release, steps.at(-1)?.release]
  return first === last ? `${first} writes` : `the releases from ${first} to ${last} write`
}

function tagsText(steps: readonly PathStep[]): string {
  const tags = steps.flatMap(({ tag }) => (tag === undefined ? [] : [tag]))
  return tags.length === 0 ? '' : ` (${tags.join(', ')})`
}
