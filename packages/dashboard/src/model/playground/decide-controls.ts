import type { FleetView, PlayedAction, PlayedServer } from './fleet-view.ts'

/** A button: what it is called, what it asks for, and the command that does the same. */
export interface Control {
  readonly label: string
  readonly action: PlayedAction
  readonly command: string
}

/** What can be done with a server now. */
export function serverControls({ name, state }: PlayedServer): readonly Control[] {
  const control = (label: string, action: string): Control => ({
    ...{ label, action: { action, server: name } },
    command: `strata playground ${action} ${name}`,
  })
  return [
    ...(state === 'frozen' ? [control('Thaw', 'thaw')] : []),
    ...(['ready', 'starting'].includes(state) ? [control('Freeze', 'freeze')] : []),
    ...(state === 'stopped' || state === 'crashed' ? [] : [control('Crash', 'crash')]),
  ]
}

/** What can be done with the roll now. */
export function rollControls(
  { roll, servers, releases }: FleetView,
  to: string | undefined,
): readonly Control[] {
  const control = (label: string, action: PlayedAction, command: string): Control => ({
    label,
    action,
    command,
  })
  const back = control('Roll back', { action: 'back' }, 'strata roll --back')
  switch (roll?.state) {
    case 'running':
      return [control('Pause', { action: 'pause' }, 'strata roll --pause'), back]
    case 'going-back':
      return [control('Pause', { action: 'pause' }, 'strata roll --pause')]
    case 'paused':
    case 'failed':
      return [
        control(
          roll.state === 'failed' ? 'Try again' : 'Resume',
          { action: 'resume' },
          'strata roll --resume',
        ),
        ...(roll.direction === 'forward' ? [back] : []),
      ]
    default: {
      const isThere = to === undefined || servers.every(({ release }) => release === to)
      const isKnown = to !== undefined && releases.includes(to)
      const wasRolled = roll?.state === 'done' && roll.direction === 'forward'
      return [
        ...(isThere || !isKnown
          ? []
          : [control(`Roll to ${to}`, { action: 'roll', to }, `strata roll --to ${to}`)]),
        ...(wasRolled ? [back] : []),
      ]
    }
  }
}

/** The release that the next roll most likely goes to: the one after that of the servers. */
export function nextRelease({
  releases,
  servers,
}: Pick<FleetView, 'releases' | 'servers'>): string | undefined {
  const places = servers.map(({ release }) => releases.indexOf(release)).filter((place) => place >= 0)
  if (places.length === 0) return undefined
  return releases[Math.max(...places) + 1] ?? releases[Math.max(...places)]
}
