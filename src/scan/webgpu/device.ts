// Opens a GPU device: Dawn's in Node (the `webgpu` package, an optional peer), the browser's own in a page. It asks for
// the largest limits the adapter offers, because rows are split by them. If there is no device, the error says why.

/// <reference types="@webgpu/types" />

import { missingPackageError } from "../../support/environment/packages.ts";
import { DeviceLost, DeviceMemory, NoDevice } from "./device-errors.ts";

/** The flags of `GPUBufferUsage`, which is no global in Node. */
export const BufferUsage = {
  mapRead: 0x1,
  copySource: 0x4,
  copyTarget: 0x8,
  uniform: 0x40,
  storage: 0x80,
  queryResolve: 0x200,
} as const;

/** The limits of a device that shaders and buffers depend on. */
export interface DeviceLimits {
  /** The most bytes that one binding may have. Our buffers are no larger. */
  readonly bindingBytes: number;
  /** Storage buffers that one shader may see. */
  readonly storageBuffers: number;
  /** Threads in a workgroup. */
  readonly threads: number;
  /** Bytes of memory that a workgroup shares. */
  readonly sharedBytes: number;
}

export interface DeviceOptions {
  /** Smaller limits than the device has, for tests that need split buffers. */
  readonly limits?: Partial<DeviceLimits>;
  /** How many bytes our buffers may take; by default, as many as the device gives. */
  readonly memoryBytes?: number;
  readonly powerPreference?: GPUPowerPreference;
  /**
   * Whether Dawn checks every call, in Node. False by default: every search makes the same calls, the tests make them
   * with checks, and without checks a search is recorded in three quarters of the time. Shaders stay within their buffers
   * either way.
   */
  readonly validates?: boolean;
  /** More flags for Dawn, such as `disable-dawn-features=…`. */
  readonly dawnFlags?: readonly string[];
}

/** Opens a device, or throws `NoDevice`. */
export async function openDevice(options: DeviceOptions = {}): Promise<Device> {
  const { powerPreference = "high-performance", limits, memoryBytes, validates, dawnFlags = [] } = options;
  const gpu = await findGpu([...(validates ? [] : ["enable-dawn-features=skip_validation"]), ...dawnFlags]);
  const adapter = await gpu.requestAdapter({ powerPreference });
  if (!adapter) {
    throw new NoDevice(
      "WebGPU is available, but it offers no adapter",
      "install a Vulkan, Metal or D3D12 driver for a GPU; on Linux, libvulkan.so.1 and VK_ICD_FILENAMES are used",
    );
  }
  const offered = adapter.limits;
  const wanted = ["timestamp-query"] as const;
  const device = await adapter.requestDevice({
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
    requiredLimits: {
      maxBufferSize: offered.maxBufferSize,
      maxStorageBufferBindingSize: offered.maxStorageBufferBindingSize,
      maxStorageBuffersPerShaderStage: offered.maxStorageBuffersPerShaderStage,
      maxComputeWorkgroupStorageSize: offered.maxComputeWorkgroupStorageSize,
      maxComputeInvocationsPerWorkgroup: offered.maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupSizeX: offered.maxComputeWorkgroupSizeX,
    },
  });
  const { vendor, architecture, description } = adapter.info;
  const name = [vendor, architecture, description].filter(Boolean).join(" ") || "unnamed adapter";
  return new Device(device, gpu, name, memoryBytes, {
    bindingBytes: Math.min(offered.maxStorageBufferBindingSize, offered.maxBufferSize),
    storageBuffers: offered.maxStorageBuffersPerShaderStage,
    threads: Math.min(offered.maxComputeInvocationsPerWorkgroup, offered.maxComputeWorkgroupSizeX),
    sharedBytes: offered.maxComputeWorkgroupStorageSize,
    ...limits,
  });
}

async function findGpu(flags: readonly string[]): Promise<GPU> {
  const own = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  if (own) return own;
  if (typeof process === "undefined" || !process.versions?.node) {
    throw new NoDevice("this browser has no WebGPU", "use a browser that has it, over https or on localhost");
  }
  // A variable instead of a literal, so that bundlers for pages do not look for the package.
  const name = "webgpu";
  let dawn: { create(flags: readonly string[]): GPU };
  try {
    dawn = await import(/* @vite-ignore */ name);
  } catch (error) {
    const { problem, hint, code } = missingPackageError("webgpu", "a GPU needs", error);
    throw new NoDevice(problem, hint, code);
  }
  return dawn.create([...flags]);
}

/** An open device. It counts the bytes of its buffers. */
export class Device {
  readonly gpu: GPUDevice;
  readonly name: string;
  readonly limits: DeviceLimits;
  /** Whether the device can time passes. */
  readonly hasTimestamps: boolean;
  readonly #memoryBytes: number;
  /** Held so that it is not garbage collected: Dawn's device must not outlive its instance. */
  readonly #instance: GPU;
  /** What ends each wait if the device is lost. A race with one promise of the loss would keep the result of every wait. */
  readonly #waiting = new Set<(lost: DeviceLost) => void>();
  #reason: string | undefined;
  #usedBytes = 0;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();

  constructor(
    gpu: GPUDevice,
    instance: GPU,
    name: string,
    memoryBytes = Number.POSITIVE_INFINITY,
    limits: DeviceLimits,
  ) {
    this.gpu = gpu;
    this.#instance = instance;
    this.name = name;
    this.limits = limits;
    this.#memoryBytes = memoryBytes;
    this.hasTimestamps = gpu.features.has("timestamp-query");
    void gpu.lost.then(({ message, reason }) => {
      this.#reason = message || reason;
      for (const stop of this.#waiting) stop(new DeviceLost(this.#reason));
    });
  }

  /** Bytes of all buffers that were not freed. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Whether the device was lost. */
  get isLost(): boolean {
    return this.#reason !== undefined;
  }

  /** Throws if `bytes` more would exceed the limit on memory. It reserves nothing. */
  reserve(bytes: number, what: string): void {
    if (this.#usedBytes + bytes <= this.#memoryBytes) return;
    const free = Math.max(0, this.#memoryBytes - this.#usedBytes);
    throw new DeviceMemory(
      `${what} needs ${formatBytes(bytes)} on the device; of the ${formatBytes(this.#memoryBytes)} allowed, ${formatBytes(free)} are free`,
      "allow more memory, upload fewer forms of the rows, or search on the CPU",
    );
  }

  /** A buffer, counted in `usedBytes`. Only `allocate` finds out whether the device really had memory for it. */
  buffer(bytes: number, usage: number, label: string): GPUBuffer {
    if (this.#reason !== undefined) throw new DeviceLost(this.#reason);
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    this.reserve(size, label);
    this.#usedBytes += size;
    return this.gpu.createBuffer({ size, usage, label });
  }

  storage(bytes: number, label: string): GPUBuffer {
    return this.buffer(bytes, BufferUsage.storage | BufferUsage.copyTarget | BufferUsage.copySource, label);
  }

  uniform(words: readonly number[], label: string): GPUBuffer {
    const buffer = this.buffer(words.length * 4, BufferUsage.uniform | BufferUsage.copyTarget, label);
    this.gpu.queue.writeBuffer(buffer, 0, Uint32Array.from(words));
    return buffer;
  }

  free(buffers: Iterable<GPUBuffer>): void {
    for (const buffer of buffers) {
      this.#usedBytes -= buffer.size;
      buffer.destroy();
    }
  }

  /** Makes buffers and waits until it is known whether the device had memory for them. If not, frees them and throws. */
  async allocate<T>(what: string, make: (keep: (buffer: GPUBuffer) => GPUBuffer) => T): Promise<T> {
    const made: GPUBuffer[] = [];
    const keep = (buffer: GPUBuffer) => {
      made.push(buffer);
      return buffer;
    };
    this.gpu.pushErrorScope("validation");
    this.gpu.pushErrorScope("out-of-memory");
    let result: T | undefined;
    let thrown: unknown;
    try {
      result = make(keep);
    } catch (error) {
      thrown = error;
    }
    // Both are popped at once, before other code can push a scope.
    const scopes = [this.gpu.popErrorScope(), this.gpu.popErrorScope()];
    const [outOfMemory, invalid] = await Promise.all(scopes);
    if (!thrown && !outOfMemory && !invalid) return result as T;
    const bytes = made.reduce((sum, { size }) => sum + size, 0);
    this.free(made);
    if (this.#reason !== undefined) throw new DeviceLost(this.#reason);
    if (thrown) throw thrown;
    if (outOfMemory) {
      throw new DeviceMemory(
        `${what}: the device has no room for ${formatBytes(bytes)} (${formatBytes(this.#usedBytes)} are in use)`,
        "upload fewer forms of the rows, use a device with more memory, or search on the CPU",
      );
    }
    throw new Error(`${what}: ${invalid?.message}`);
  }

  /** A compute pipeline. The same code is compiled once. */
  pipeline(code: string, label: string): Promise<GPUComputePipeline> {
    let pipeline = this.#pipelines.get(code);
    if (!pipeline) {
      pipeline = this.#compile(code, label);
      this.#pipelines.set(code, pipeline);
      pipeline.catch(() => this.#pipelines.delete(code));
    }
    return pipeline;
  }

  /** Compiles a shader. An error has the compiler's messages. */
  async #compile(code: string, label: string): Promise<GPUComputePipeline> {
    const module = this.gpu.createShaderModule({ code, label });
    try {
      return await this.waitUnlessLost(
        this.gpu.createComputePipelineAsync({
          layout: "auto",
          compute: { module, entryPoint: "main" },
          label,
        }),
      );
    } catch (error) {
      if (error instanceof DeviceLost) throw error;
      const { messages } = await module.getCompilationInfo();
      const words = messages.map(({ lineNum, message }) => `line ${lineNum}: ${message}`).join("; ");
      throw new Error(`shader ${label}: ${words || (error as Error).message}`);
    }
  }

  bindGroup(
    pipeline: GPUComputePipeline,
    resources: readonly (GPUBuffer | GPUBufferBinding)[],
  ): GPUBindGroup {
    return this.gpu.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: resources.map((resource, binding) => ({
        binding,
        resource: "buffer" in resource ? resource : { buffer: resource },
      })),
    });
  }

  /** Waits for the promise; throws `DeviceLost` if the device is lost first. */
  async waitUnlessLost<T>(promise: Promise<T>): Promise<T> {
    let stop: ((lost: DeviceLost) => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        promise.then(resolve, reject);
        if (this.#reason !== undefined) reject(new DeviceLost(this.#reason));
        this.#waiting.add(reject);
        stop = reject;
      });
    } catch (error) {
      // If the device is lost, a pending map may fail before the device reports the loss.
      if (error instanceof DeviceLost || this.#reason === undefined) throw error;
      throw new DeviceLost(this.#reason);
    } finally {
      this.#waiting.delete(stop!);
    }
  }

  /** Waits for everything submitted so far. */
  async idle(): Promise<void> {
    await this.waitUnlessLost(this.gpu.queue.onSubmittedWorkDone());
  }

  close(): void {
    this.gpu.destroy();
    void this.#instance;
  }
}

export function formatBytes(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
  if (bytes >= 2 ** 20) return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `${bytes} bytes`;
}
