import type { Report } from '../../output/report.ts'
import type { FleetState, SceneView } from '../state/fleet-state.ts'
import type { Scene } from './scene.ts'

/** What there is to play. */
export function reportScenes(scenes: readonly Scene[], state: FleetState | undefined): Report {
  const all = scenes.map(({ name, title, shows, ownFleet, whyNot }) => ({
    ...{ name, title, shows },
    fleet: ownFleet ? `its own, ${ownFleet.which}` : 'the running one',
    whyNot: state ? whyNot(state) : 'no fleet runs',
  }))
  const rows = all.map(({ name, title, fleet, whyNot }) => [name, title, fleet, whyNot ?? ''])
  return {
    command: 'playground scene',
    sections: [
      { table: { columns: ['NAME', 'SCENE', 'FLEET', 'NOT NOW'], rows } },
      { notes: ['Play one: strata playground scene NAME'] },
    ],
    results: all.map(({ name, title, whyNot }) => ({
      ...{
        level: whyNot === undefined ? ('passed' as const) : ('note' as const),
        rule: 'scene',
        subject: name,
      },
      message: whyNot ?? title,
    })),
    document: { scenes: all },
  }
}

/** How a scene ended. */
export function reportScene(view: SceneView): Report {
  const { name, state, sentence } = view
  const isProven = state === 'proven'
  return {
    command: 'playground scene',
    sections: [{ notes: [`${isProven ? 'Seen' : 'Not shown'}: ${sentence}.`] }],
    results: [{ level: isProven ? 'passed' : 'failed', rule: state, subject: name, message: sentence }],
    document: view,
  }
}
