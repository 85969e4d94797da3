// All of Tidepool. Users write `namespace tp = tidepool;`.
#pragma once

#include <tidepool/compute.h>
#include <tidepool/data.h>
#include <tidepool/device.h>
#include <tidepool/dtype.h>
#include <tidepool/error.h>
#include <tidepool/faults.h>
#include <tidepool/grad.h>
#include <tidepool/kernel.h>
#include <tidepool/loader.h>
#include <tidepool/log.h>
#include <tidepool/memory.h>
#include <tidepool/module.h>
#include <tidepool/monitor.h>
#include <tidepool/nn.h>
#include <tidepool/ops.h>
#include <tidepool/optim.h>
#include <tidepool/raw.h>
#include <tidepool/run.h>
#include <tidepool/shape.h>
#include <tidepool/tensor.h>
#include <tidepool/train.h>
#include <tidepool/version.h>
