import { notes } from './notes.ts'
import type { RecordedStep, TranscriptFile } from './served-steps.ts'

const { group, kind, plural, singular } = notes
const apiVersion = `${group}/v1`

/** Each name that kubectl or the server has for ConfigMaps, and what takes its place. */
const names: readonly (readonly [RegExp, string])[] = [
  [/\bcore\/v1\/ConfigMap\b/g, `${apiVersion}/${kind}`],
  [/\bapiVersion: v1\b/g, `apiVersion: ${apiVersion}`],
  [/"apiVersion":"v1"/g, `"apiVersion":"${apiVersion}"`],
  [/ using v1:/g, ` using ${apiVersion}:`],
  [/\bConfigMap\b/g, kind],
  [/\bconfigmap\//g, `${singular}.${group}/`],
  [/\bconfigmaps "/g, `${plural}.${group} "`],
  [/\bresource configmaps\//g, `resource ${plural}/`],
  [/ cm([ /])/g, ` ${plural}.${group}$1`],
]
const creation = /^kubectl create cm (\S+) -n (\S+)$/

/**
 * A transcript about ConfigMaps, said of notes: what kubectl prints about the one, it must print about the other. Steps about
 * other kinds are left out. `numbers` says which of the recorded steps are left.
 */
export function aboutNotes(transcript: TranscriptFile): { transcript: TranscriptFile; numbers: number[] } {
  const manifests = new Map<string, string>()
  for (const [file, text] of Object.entries(transcript.manifests ?? {}))
    if (typeof text === 'string' && isAboutConfigMaps(text)) manifests.set(file, renamed(text))
  const command = (cmd: string): string =>
    renamed(
      cmd.replace(creation, (_, name: string, namespace: string) => {
        manifests.set(`new-${name}.yaml`, manifestOf(name, namespace))
        return `kubectl create -f new-${name}.yaml`
      }),
    )
  const kept = transcript.steps.flatMap((step, index) =>
    isOfConfigMaps(step, manifests) ? [{ number: index + 1, step: renameStep(step, command) }] : [],
  )
  return {
    numbers: kept.map(({ number }) => number),
    transcript: {
      name: transcript.name,
      steps: kept.map(({ step }) => step),
      manifests: Object.fromEntries(manifests),
    },
  }
}

const isAboutConfigMaps = (text: string): boolean => /^kind: ConfigMap$/m.test(text)

function renamed(text: string): string {
  return names.reduce((now, [from, to]) => now.replaceAll(from, to), text)
}

function manifestOf(name: string, namespace: string): string {
  return `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}}\n`
}

/** A step names ConfigMaps itself, in what it sends, or in its manifests, all of which must be about them. */
function isOfConfigMaps({ cmd, stdin }: RecordedStep, manifests: ReadonlyMap<string, string>): boolean {
  if (stdin !== undefined) return isAboutConfigMaps(stdin)
  const files = [...cmd.matchAll(/ -f (\S+\.yaml)/g)].map(([, file = '']) => file)
  return files.length > 0 ? files.every((file) => manifests.has(file)) : / cm[ /]/.test(cmd)
}

function renameStep(step: RecordedStep, command: (cmd: string) => string): RecordedStep {
  const { during, stdin, stdout, stderr } = step
  return {
    ...step,
    cmd: command(step.cmd),
    ...(stdin === undefined ? {} : { stdin: renamed(stdin) }),
    ...(stdout === undefined ? {} : { stdout: renamed(stdout) }),
    ...(stderr === undefined ? {} : { stderr: renamed(stderr) }),
    ...(during
      ? {
          during: during.flatMap((each) => {
            const cmd = typeof each === 'string' ? each : each.cmd
            // A step of the recording that makes an object of another kind meanwhile.
            return cmd === 'kubectl create -f w.yaml' ? [] : [command(cmd)]
          }),
        }
      : {}),
  }
}
