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

/** How the fleet agrees. Where it votes, the one that is cut is each time the one with whom the selection moves. */
export const chainForms = {
  report: 'all report',
  vote: 'all vote',
  loose: 'all vote, and nothing guards what they write',
  discovery: 'all report, also which documents they serve',
} as const
export type ChainForm = keyof typeof chainForms

/** One situation, cut at every n-th place of it, one after the other in one world. */
export interface Chain {
  readonly form: ChainForm
  readonly scene: Scene
  readonly moment: Moment
  readonly aftermath: Aftermath
  readonly first: number
  readonly stride: number
  /** How many built-in kinds are served: each registration is one more place to cut. */
  readonly kinds: 'all' | 'few'
}

export const chainName = ({ form, scene, moment, aftermath, first, stride, kinds }: Chain): string =>
  `${form}/${scene}/${moment}/${aftermath}/${first}+${stride}/${kinds}`

export function chainNamed(name: string): Chain | undefined {
  const [form = '', scene = '', moment = '', aftermath = '', places = '', kinds = 'all'] = name.split('/')
  const [first = '', stride = ''] = places.split('+')
  if (!(form in chainForms) || !(scene in scenes) || !(moment in moments) || !(aftermath in aftermaths))
    return undefined
  if (kinds !== 'all' && kinds !== 'few') return undefined
  if (!/^[1-9][0-9]*$/.test(first) || !/^[1-9][0-9]*$/.test(stride)) return undefined
  return {
    form: form as ChainForm,
    scene: scene as Scene,
    moment: moment as Moment,
    aftermath: aftermath as Aftermath,
    first: Number(first),
    stride: Number(stride),
    kinds,
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
    // No server dies; the aftermaths differ in which others lose the store.
    away: { chains: 8, after: ['again', 'store-away'] },
  }

/** Where the form makes no difference to what becomes of it, once is enough. */
const aftermathsOf: Readonly<Record<ChainForm, (aftermath: Aftermath) => boolean>> = {
  report: () => true,
  vote: (aftermath) => aftermath === 'again' || aftermath === 'never' || aftermath === 'both',
  loose: (aftermath) => aftermath === 'again' || aftermath === 'never',
  // With other documents, or where the process before may live on, its report is in the way.
  discovery: (aftermath) => aftermath !== 'both' && aftermath !== 'store-away',
}

/** What the other two are about is the same for every kind. */
const kindsOf: Readonly<Record<ChainForm, Chain['kinds']>> = {
  ...{ report: 'all', vote: 'all', loose: 'few', discovery: 'few' },
}
const forms = Object.keys(chainForms) as ChainForm[]

/** Every place of every situation. */
export function everyChain(): Chain[] {
  return forms.flatMap((form) =>
    everyScene.flatMap((scene) =>
      (Object.keys(moments) as Moment[]).flatMap((moment) => {
        const { chains, after } = chainsOf[moment]
        return after.filter(aftermathsOf[form]).flatMap((aftermath) =>
          Array.from({ length: chains }, (_, index) => ({
            ...{ form, scene, moment, aftermath },
            ...{ first: index + 1, stride: chains, kinds: kindsOf[form] },
          })),
        )
      }),
    ),
  )
}

/** A few of what the other forms are about: reports that come, go, and are in the way; commits that nothing guards. */
const fewOthers: readonly Chain[] = [
  'discovery/join/unanswered/other-release/2+2/few',
  'discovery/return/unanswered/other-release/1+4/few',
  'discovery/leave/unanswered/never/2+2/few',
  'loose/return/unanswered/never/1+4/few',
  'loose/leave/late/again/1+2/few',
].map((name) => {
  const chain = chainNamed(name)
  if (!chain) throw new Error(`there is no chain ${name}`)
  return chain
})

/** Each moment of each scene, reporting and voting, with two aftermaths that are not the same for all; a few places of each. */
export const fewChains: { readonly chains: readonly Chain[]; readonly mostCuts: number } = {
  mostCuts: 7,
  chains: [
    ...everyScene.flatMap((scene, row) =>
      (Object.keys(moments) as Moment[]).flatMap((moment, column) =>
        (['report', 'vote'] as const).flatMap((form, each) => {
          const after = chainsOf[moment].after.filter(aftermathsOf[form])
          const aftermath = after[(2 * column + 3 * row + each) % after.length]
          const stride = moments[moment] === 'commit' ? 2 : 7
          const first = 1 + ((row + each) % stride)
          return aftermath ? [{ form, scene, moment, aftermath, first, stride, kinds: 'few' as const }] : []
        }),
      ),
    ),
    ...fewOthers,
  ],
}
