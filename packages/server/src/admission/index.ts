export { Admission } from './admission.ts'
export { AdmissionRefusal } from './refusal.ts'
export type { AdmissionRequest, Annotate, Operation } from './request.ts'
