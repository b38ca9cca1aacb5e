import { round, type Step, stretched, visibleWhile } from './keyframes.ts'
import type { Frame, Recording } from './recording.ts'

const width = 840
const height = 372
/** Slower than it was, so that it can be read. */
const loopSeconds = 16
const box = { width: 248, height: 84, top: 56, gap: 24, left: 24 }
const bar = { left: 24, top: 252, width: width - 48, height: 28 }

/** The picture of an upgrade: an SVG that moves by CSS alone, light and dark. The same recording gives the same bytes. */
export function renderUpgrade({ frames, resource, from, to }: Recording): string {
  const [first] = frames
  if (first === undefined) throw new Error('the recording has no frame')
  const endMs = frames.at(-1)?.ms ?? 1
  const styles: string[] = []
  const steps = <T>(pick: (frame: Frame) => T): readonly Step<T>[] =>
    frames.map((frame) => ({ percent: (100 * frame.ms) / endMs, value: pick(frame) }))
  // Where nothing moves, it shows the fleet half-way.
  const still =
    frames.find(
      ({ agreed, stored }) => agreed === null && Math.min(stored['v1'] ?? 0, stored['v2'] ?? 0) > 0,
    ) ?? first

  /** One element for each value that there ever is; each is visible in its time. */
  const alternatives = (pick: (frame: Frame) => string, draw: (value: string) => string): string =>
    [...new Set(frames.map(pick))]
      .map((value) => {
        const name = `s${styles.length}`
        styles.push(visibleWhile(name, steps(pick), value))
        const isStill = pick(still) === value
        return `<g opacity="${isStill ? 1 : 0}" style="animation-name:${name}">${draw(value)}</g>`
      })
      .join('')

  const servers = first.servers.map(({ name }, index) => {
    const left = box.left + index * (box.width + box.gap)
    const of = (frame: Frame) => frame.servers[index]
    const writesOf = (frame: Frame): string => of(frame)?.writes ?? 'nothing'
    return [
      alternatives(writesOf, (writes) => drawBox(left, writes)),
      text(left + 14, box.top + 26, name, 'b'),
      alternatives(
        (frame) => of(frame)?.release ?? '',
        (release) => text(left + box.width - 14, box.top + 26, `release ${release}`, 'r'),
      ),
      alternatives(
        (frame) => saysOf(of(frame)?.state ?? '', of(frame)?.writes ?? null),
        (words) => text(left + 14, box.top + 58, words),
      ),
    ].join('')
  })

  const total = (frame: Frame): number => Object.values(frame.stored).reduce((sum, count) => sum + count, 0)
  const share = (frame: Frame): number => 1 - (frame.stored['v1'] ?? 0) / Math.max(1, total(frame))
  styles.push(stretched('bar', steps(share)))
  const body = [
    text(24, 34, `Upgrade of three API servers from release ${from} to ${to}, while clients write`, 'b'),
    ...servers,
    alternatives(agreementOf, (words) => text(24, 190, words, 'b')),
    text(24, 240, `Stored ${resource}`),
    rect({ ...bar, kind: 'v1' }),
    rect({ ...bar, kind: 'old' }),
    // The new layer is stretched over the old one, because stretching would distort the hatching.
    `<g style="animation-name:bar;transform-origin:${bar.left + bar.width}px 0" transform="${stillBar(share(still))}">${rect({ ...bar, kind: 'v2' })}</g>`,
    alternatives(countsOf, (words) => text(24, bar.top + 54, words)),
    alternatives(
      ({ acknowledged }) => String(acknowledged - (acknowledged % 10)),
      (count) => text(width - 24, bar.top + 54, `${count} writes acknowledged`, 'r'),
    ),
    text(24, height - 12, 'From a real run: node tools/pictures/upgrade.ts --record', 'm'),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label(from, to)}">
<style>${css}
g[style]{animation:x ${loopSeconds}s step-end infinite}
@media (prefers-reduced-motion:reduce){g[style]{animation:none!important}}
${styles.join('\n')}</style>
<pattern id="old" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2.5" height="6" class="hatch"/></pattern>
<rect width="${width}" height="${height}" rx="10" class="ground"/>
${body.join('\n')}
</svg>
`
}

const label = (from: string, to: string): string =>
  `Three servers are restarted one after the other with release ${to} in place of ${from}. Those of ${from} write v1, those of ${to} write v2. ` +
  'When all write v2, the stored objects are migrated, until none is left in v1.'

/** Layers as in the dashboard (`theme/palette.css`): the old version is warm and hatched, the new one cool, in both themes. */
const css = [
  'text{font:15px system-ui,sans-serif;fill:#24292f}.b{font-weight:600}.r{text-anchor:end}.m{font-size:12px;fill:#57606a}',
  '.ground{fill:#fff;stroke:#d0d7de}.box{fill:none;stroke-width:2.5}.old{fill:url(#old)}.hatch{fill:rgb(255 255 255/55%)}',
  '.v1{fill:#e69f00}.v2{fill:#0072b2}.sv1{stroke:#e69f00}.sv2{stroke:#0072b2}.snothing{stroke:#8c959f;stroke-dasharray:6 5}',
  '@media (prefers-color-scheme:dark){text{fill:#e6edf3}.m{fill:#9198a1}.ground{fill:#0d1117;stroke:#3d444d}',
  '.hatch{fill:rgb(0 0 0/42%)}}',
].join('\n')

const text = (x: number, y: number, words: string, kind = ''): string =>
  `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}>${words}</text>`

const rect = (at: {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly kind: string
}): string =>
  `<rect x="${at.left}" y="${at.top}" width="${at.width}" height="${at.height}" class="${at.kind}"/>`

const drawBox = (left: number, writes: string): string =>
  `<rect x="${left}" y="${box.top}" width="${box.width}" height="${box.height}" rx="8" class="box s${writes}"/>`

/** From the right edge of the bar, which is the origin. */
const stillBar = (share: number): string => `scale(${round(share)} 1)`

function saysOf(state: string, writes: string | null): string {
  if (state === 'stopped') return 'stopped'
  if (state === 'draining') return 'finishes its requests'
  return writes === null ? 'starting' : `writes ${writes}`
}

function agreementOf({ agreed, servers }: Frame): string {
  if (agreed !== null) return `All servers write ${agreed}.`
  const versions = [...new Set(servers.flatMap(({ writes }) => writes ?? []))].sort()
  const written = versions.length === 1 ? `only ${versions[0]} is` : `${versions.join(' and ')} are`
  return `No agreement: ${written} written. Every server reads both.`
}

const countsOf = ({ stored }: Frame): string =>
  ['v1', 'v2'].map((version) => `${stored[version] ?? 0} in ${version}`).join(', ')
