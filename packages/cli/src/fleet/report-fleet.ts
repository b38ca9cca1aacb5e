import type { Report, Section } from '../output/report.ts'
import type { FleetState } from './state/fleet-state.ts'

/** A link that signs in to the dashboard. */
export const reportLink = (link: string): Report => ({
  command: 'playground link',
  sections: [{ notes: [link] }],
  results: [
    {
      level: 'passed',
      rule: 'link',
      subject: 'dashboard',
      message: 'the link signs in once, within two minutes',
    },
  ],
  document: { link },
})

/** The state of a running fleet, for every form of -o. The document is the state itself. */
export function reportFleet(command: string, state: FleetState): Report {
  const { servers, roll, load, scenes, releases } = state
  const rows = servers.map(({ name, release, state: is, pid, url, message = '' }) => [
    ...[name, release, is, pid === null ? '-' : String(pid), url, message],
  ])
  const notes = [
    ...(releases.length === 0 ? [] : [`Releases: ${releases.join(', ')}.`]),
    ...(roll
      ? [
          `Roll ${roll.direction === 'back' ? `back from ${roll.to} to ${roll.from}` : `from ${roll.from} to ${roll.to}`}: ${roll.state}, ${roll.step} of ${roll.of}: ${roll.message}.`,
        ]
      : []),
    ...(load
      ? [
          `Load: ${load.writesPerSecond} writes per second; ${load.written} written, ${load.refused} refused, ${load.unknown} without an answer.`,
        ]
      : []),
    ...scenes.filter(({ state: is }) => is === 'playing').map(({ name }) => `The scene ${name} is playing.`),
  ]
  const sections: Section[] = [
    { table: { columns: ['SERVER', 'RELEASE', 'STATE', 'PID', 'URL', { wide: 'MESSAGE' }], rows } },
    ...(notes.length === 0 ? [] : [{ notes }]),
  ]
  const results = servers.map(({ name, state: is, message = '' }) => ({
    ...{ level: is === 'ready' ? ('passed' as const) : ('warning' as const), rule: is, subject: name },
    message: `is ${is}${message === '' ? '' : `: ${message}`}`,
  }))
  return { command, sections, results, document: state }
}
