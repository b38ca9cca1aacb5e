import { type Moment, moments } from './tripwire.ts'

/** What a server is about when it is cut. */
export const scenes = {
  /** It starts, and nothing of it is there. */
  join: 'starts for the first time',
  /** It starts after kill -9: the Lease and the entries of the process before it stand. */
  return: 'starts again after kill -9',
  leave: 'is told to stop',
} as const
export type Scene = keyof typeof scenes

/** What becomes of it afterwards. */
export const aftermaths = {
  again: 'is started again at once',
  'other-release': 'is started again in the other release',
  elsewhere: 'is started again where nobody can tell that the process before is gone',
  never: 'never comes back: the collectors have to find out',
  twins: 'is started again twice at once',
  both: 'has a companion in the same situation, that dies in the same moment; both are started again',
  'store-away': 'dies as everybody loses the store, and is started again before it is back',
} as const
export type Aftermath = keyof typeof aftermaths

/** One situation, cut at every n-th place of it, one after the other in one world. */
export interface Chain {
  readonly scene: Scene
  readonly moment: Moment
  readonly aftermath: Aftermath
  readonly first: number
  readonly stride: number
}

export const chainName = ({ scene, moment, aftermath, first, stride }: Chain): string =>
  `${scene}/${moment}/${aftermath}/${first}+${stride}`

export function chainNamed(name: string): Chain | undefined {
  const [scene = '', moment = '', aftermath = '', places = ''] = name.split('/')
  const [first = '', stride = ''] = places.split('+')
  if (!(scene in scenes) || !(moment in moments) || !(aftermath in aftermaths)) return undefined
  if (!/^[1-9][0-9]*$/.test(first) || !/^[1-9][0-9]*$/.test(stride)) return undefined
  return {
    scene: scene as Scene,
    moment: moment as Moment,
    aftermath: aftermath as Aftermath,
    first: Number(first),
    stride: Number(stride),
  }
}

const everyScene = Object.keys(scenes) as Scene[]
const everyAftermath = Object.keys(aftermaths) as Aftermath[]

/** For every place: as many chains as keep each of them short. */
const chainsOf: Readonly<Record<Moment, { readonly chains: number; readonly after: readonly Aftermath[] }>> =
  {
    unsent: { chains: 8, after: everyAftermath },
    unanswered: { chains: 2, after: everyAftermath },
    late: { chains: 2, after: everyAftermath },
    event: { chains: 6, after: ['again', 'other-release', 'both'] },
    // Nobody dies; what differs is who else loses the store.
    away: { chains: 8, after: ['again', 'store-away'] },
  }

/** Every place of every situation. */
export function everyChain(): Chain[] {
  return everyScene.flatMap((scene) =>
    (Object.keys(moments) as Moment[]).flatMap((moment) => {
      const { chains, after } = chainsOf[moment]
      return after.flatMap((aftermath) =>
        Array.from({ length: chains }, (_, index) => ({
          scene,
          moment,
          aftermath,
          first: index + 1,
          stride: chains,
        })),
      )
    }),
  )
}

/** Two situations after each moment of each scene, not the same for all, and a few places of each. */
export const fewChains: { readonly chains: readonly Chain[]; readonly mostCuts: number } = {
  mostCuts: 9,
  chains: everyScene.flatMap((scene, row) =>
    (Object.keys(moments) as Moment[]).flatMap((moment, column) => {
      const { after } = chainsOf[moment]
      return [0, 1].flatMap((each) => {
        const aftermath = after[(2 * column + 3 * row + each) % after.length]
        const stride = moments[moment] === 'commit' ? 2 : 7
        return aftermath ? [{ scene, moment, aftermath, first: 1 + ((row + each) % stride), stride }] : []
      })
    }),
  ),
}
