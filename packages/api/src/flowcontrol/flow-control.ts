import { defineEmptyKind } from '../machinery/define-empty-kind.ts'

const defineFlowKind = (kind: string, description: string) =>
  defineEmptyKind({
    ...{ group: 'flowcontrol.apiserver.k8s.io', kind, plural: `${kind.toLowerCase()}s`, description },
    hasStatus: true,
    why: 'this server has no API priority and fairness',
  })

export const flowSchemas = defineFlowKind('FlowSchema', 'Says which requests have which priority level.')

export const priorityLevelConfigurations = defineFlowKind(
  'PriorityLevelConfiguration',
  'Says how many requests of a priority level run at once, and how many wait.',
)
