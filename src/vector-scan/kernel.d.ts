/** The compiled kernel (kernel.as) as base64. */
export const KERNEL: string;
