// Draws docs/pictures/upgrade.svg from docs/pictures/upgrade.json. With --record, first makes that recording anew: starts a fleet,
// upgrades it and observes it, for about half a minute.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.ts'
import { recordUpgrade } from './record-upgrade.ts'
import type { Recording } from './recording.ts'
import { renderUpgrade } from './render-upgrade.ts'

const recordingFile = join(root, 'docs/pictures/upgrade.json')
const pictureFile = join(root, 'docs/pictures/upgrade.svg')

if (process.argv.includes('--record')) {
  const recording = await recordUpgrade('x+1', 'x+2')
  const frames = recording.frames.map((frame) => `    ${JSON.stringify(frame)}`).join(',\n')
  const { frames: _, ...rest } = recording
  const head = JSON.stringify(rest, undefined, 2).slice(0, -2)
  writeFileSync(recordingFile, `${head},\n  "frames": [\n${frames}\n  ]\n}\n`)
}
const recording = JSON.parse(readFileSync(recordingFile, 'utf8')) as Recording
writeFileSync(pictureFile, renderUpgrade(recording))
